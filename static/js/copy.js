// Buttons that copy a text of the page by its "#id", or what an address answers.
const read = async (address) => {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(answer.statusText);
  return answer.text();
};

/** Copy what a button names; say whether it worked. */
export const begin = async (button, { announce, warn }) => {
  const { copy, copied } = button.dataset;
  try {
    const text = copy.startsWith("#") ? document.querySelector(copy).textContent : await read(copy);
    await navigator.clipboard.writeText(text);
    button.dataset.done = "";
    announce(copied);
  } catch {
    warn("failed");
  }
};
