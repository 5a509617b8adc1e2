// What plain HTML cannot do. Every page works without this file; nothing here talks to the server.
"use strict";

const say = (text) => {
  const status = document.getElementById("live");
  if (status && text) status.textContent = text;
};

document.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (!button) return;

  // "Use GB": a submit button without JavaScript, filled in on the spot with it.
  if (button.dataset.fill) {
    const control = document.getElementById(button.dataset.fill);
    if (!control) return;
    event.preventDefault();
    control.value = button.dataset.value;
    control.focus();
    control.dispatchEvent(new Event("change", { bubbles: true }));
  }

  if (button.dataset.copy) {
    const source = document.getElementById(button.dataset.copy);
    const text = source.value ?? source.textContent;
    const select = () => getSelection().selectAllChildren(source);
    // The clipboard exists only over HTTPS and on loopback; elsewhere the text is selected for copying by hand.
    if (navigator.clipboard) navigator.clipboard.writeText(text).then(() => say(button.dataset.copied), select);
    else select();
  }

  if (button.id === "live-toggle") {
    const paused = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", String(paused));
    say(paused ? button.dataset.paused : button.dataset.resumed);
  }
});

// Buttons that need this file are hidden until it runs; the one that pauses refreshing, where nothing refreshes.
const reveal = (root) => root.querySelectorAll("button[data-needs-script]").forEach((b) => {
  b.hidden = b.id === "live-toggle" && !window.htmx;
});
reveal(document);

// A page that refreshes itself can be paused (WCAG 2.2.2), and rests while nobody looks at it.
document.addEventListener("htmx:before:request", (event) => {
  if (!event.target.closest("[data-live]")) return;
  const toggle = document.getElementById("live-toggle");
  if (document.hidden || toggle?.getAttribute("aria-pressed") === "true") event.preventDefault();
});
document.addEventListener("htmx:after:swap", () => reveal(document));

// A check that comes back while a button is being pressed would move the button away from under the pointer, and the
// press would be lost: it waits for the next one. So does one that was sent before a row came or went: it knows nothing
// of the row, and would undo it.
let pressing = false, acted = 0;
document.addEventListener("pointerdown", (event) => { pressing = !!event.target.closest("form[data-guard] button"); });
for (const end of ["pointerup", "pointercancel"]) document.addEventListener(end, () => setTimeout(() => { pressing = false; }));
for (const moment of ["htmx:before:request", "htmx:before:swap"]) {
  document.addEventListener(moment, (event) => {
    const { ctx } = event.detail;
    ctx.guarded ??= !!ctx.sourceElement.closest("form[data-guard]");
    if (!ctx.guarded) return;
    if (ctx.sourceElement.tagName === "BUTTON") acted++;
    else if (pressing || (ctx.acted ?? acted) !== acted) event.preventDefault();
    ctx.acted ??= acted;
  });
}

// A refresh that fails leaves the page as it is and says so.
const failed = () => say(document.getElementById("live")?.dataset.failed);
document.addEventListener("htmx:error", failed);
document.addEventListener("htmx:response:error", (event) => {
  if (event.detail.ctx.response.status >= 500) failed();
});

// What was typed and not sent is not lost by a slip: the browser asks.
let typed = false;
document.addEventListener("input", (event) => { if (event.target.closest("form[data-guard]")) typed = true; });
document.addEventListener("submit", () => { typed = false; });
addEventListener("beforeunload", (event) => { if (typed) event.preventDefault(); });
