// Service worker of web push: shows a message of the hub, and opens its link.
self.addEventListener("push", (event) => {
  const message = event.data?.json() ?? {};
  const shown = { body: message.body, data: { url: message.url }, icon: "static/favicon.svg" };
  event.waitUntil(self.registration.showNotification(message.title ?? "MemoryHub", shown));
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const url = event.notification.data?.url || self.registration.scope;
  event.waitUntil(self.clients.openWindow(url));
});
