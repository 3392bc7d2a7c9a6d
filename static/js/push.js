// Fill the form of a channel with this browser's subscription to web push.
const toBytes = (text) =>
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (one) => one.charCodeAt(0));

const toAddress = (subscription) =>
  "webpush://" +
  btoa(JSON.stringify(subscription)).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");

const subscribed = async ({ key, worker }) => {
  const registration = await navigator.serviceWorker.register(worker);
  await navigator.serviceWorker.ready;
  const wanted = { userVisibleOnly: true, applicationServerKey: toBytes(key) };
  return registration.pushManager.subscribe(wanted);
};

/** Ask the browser for permission, subscribe, and fill in address and name. */
export const begin = async (button, { announce }) => {
  const { name, ready, denied } = button.dataset;
  const say = (text) => {
    button.closest(".item").querySelector(".hint").textContent = text;
    announce(text);
  };
  try {
    if ((await Notification.requestPermission()) !== "granted") return say(denied);
    const fields = button.form.elements;
    fields.namedItem("address").value = toAddress(await subscribed(button.dataset));
    fields.namedItem("name").value ||= name;
    say(ready);
  } catch {
    say(denied);
  }
};
