// Forms that are sent with a passkey. data-passkey: "options" (ask an address for what is
// wanted), "get" or "create" (it is in the page's JSON, #js_data).
const { PublicKeyCredential, navigator } = globalThis;

const fromPage = () => JSON.parse(document.querySelector("#js_data").textContent);

const asked = async (address) => {
  const answer = await fetch(address, {
    headers: { Accept: "application/json", "X-Requested-With": "XMLHttpRequest" },
  });
  if (!answer.ok) throw new Error(answer.statusText);
  return answer.json();
};

/** A key that signs in alone has to be found without a name, and to check its owner. */
const made = ({ creation_options: { publicKey } }, alone) => {
  const selection = { ...publicKey.authenticatorSelection };
  selection.residentKey = alone ? "required" : "discouraged";
  selection.requireResidentKey = alone;
  if (alone) selection.userVerification = "required";
  const options = { ...publicKey, authenticatorSelection: selection };
  return navigator.credentials.create({
    publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options),
  });
};

const shown = ({ request_options: { publicKey } }) =>
  navigator.credentials.get({
    publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(publicKey),
  });

const credential = async (form) => {
  const { passkey, options } = form.dataset;
  if (passkey === "create") return made(fromPage(), form.elements.passwordless?.checked ?? false);
  return shown(passkey === "get" ? fromPage() : await asked(options));
};

const say = (form, words) => {
  const place = form.querySelector("[role=alert]:last-of-type");
  place.textContent = words;
  place.hidden = !words;
};

for (const form of document.querySelectorAll("form[data-passkey]")) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const { unable, failed } = form.dataset;
    if (!PublicKeyCredential?.parseRequestOptionsFromJSON) {
      say(form, unable);
      return;
    }
    say(form, "");
    try {
      form.elements.credential.value = JSON.stringify(await credential(form));
      form.submit();
    } catch (error) {
      say(form, `${failed} (${error.name})`);
    }
  });
  form.querySelector("button").disabled = false; // sent before, it would go without a passkey
}
