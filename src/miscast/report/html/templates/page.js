"use strict";
const all = () => document.querySelectorAll("details");
for (const button of document.querySelectorAll("[data-fold]")) {
  button.addEventListener("click", () => all().forEach((one) => (one.open = button.dataset.fold === "open")));
  button.parentElement.hidden = false;
}
const show = () => {
  const target = document.getElementById(location.hash.slice(1));
  for (let one = target; one; one = one.parentElement) if (one.tagName === "DETAILS") one.open = true;
  const own = target && target.querySelector(":scope > details");
  if (own) own.open = true;
  if (target) target.scrollIntoView();
};
addEventListener("hashchange", show);
// a second click on a link changes no hash
for (const link of document.querySelectorAll('a[href^="#"]')) link.addEventListener("click", () => setTimeout(show));
show();

// Without the clipboard's API or its permission: a selection that the browser copies, or that the user copies.
const select = (node) => {
  const range = document.createRange();
  range.selectNodeContents(node);
  getSelection().removeAllRanges();
  getSelection().addRange(range);
};
const copied = async (node) => {
  try {
    await navigator.clipboard.writeText(node.textContent);
    return true;
  } catch {
    select(node);
    return document.execCommand("copy");
  }
};
for (const button of document.querySelectorAll("button.copy")) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    const node = button.closest(".copyable").querySelector("[data-text]");
    button.textContent = (await copied(node)) ? "Copied" : "Press Ctrl+C";
    setTimeout(() => (button.textContent = button.dataset.label), 3000);
  });
}

let closed = [];
addEventListener("beforeprint", () => {
  closed = [...all()].filter((one) => !one.open);
  closed.forEach((one) => (one.open = true));
});
addEventListener("afterprint", () => closed.forEach((one) => (one.open = false)));
