"use strict";
const all = () => document.querySelectorAll("details");
for (const button of document.querySelectorAll("[data-fold]")) {
  button.addEventListener("click", () => all().forEach((one) => (one.open = button.dataset.fold === "open")));
  button.parentElement.hidden = false;
}
const show = () => {
  let one = document.getElementById(location.hash.slice(1));
  for (; one; one = one.parentElement) if (one.tagName === "DETAILS") one.open = true;
  const target = document.getElementById(location.hash.slice(1));
  const own = target && target.querySelector(":scope > details");
  if (own) own.open = true;
};
addEventListener("hashchange", show);
show();
let closed = [];
addEventListener("beforeprint", () => {
  closed = [...all()].filter((one) => !one.open);
  closed.forEach((one) => (one.open = true));
});
addEventListener("afterprint", () => closed.forEach((one) => (one.open = false)));
