"use strict";

// The page works without this script. It refreshes the main part, also while the reader types a filter,
// and copies manifests. It keeps open details, the focus, the selection and the filter.
(() => {
  const interval = 5000; // of a refresh, in milliseconds
  const timeout = 20000; // of a request

  const byId = (id) => document.getElementById(id);
  const parameters = new URLSearchParams(location.search);
  const view = { q: parameters.get("q") || "", state: parameters.get("state") || "", sort: parameters.get("sort") || "" };
  let paused = false;
  let running = null; // the request that is under way
  let timer = 0;

  // address returns the address of the page with the view.
  function address() {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(view)) {
      if (value) query.set(name, value);
    }
    return "?" + query.toString();
  }

  // morph changes a node to be like another one. Nodes that stay the same keep their state, such as
  // the focus, an open details element, or the text of an input.
  function morph(from, to) {
    if (from.nodeType === Node.TEXT_NODE) {
      if (from.data !== to.data) from.data = to.data;
      return;
    }
    if (from.id === "q" || from.id === "sort" || to.hasAttribute("data-later") || from.isEqualNode(to)) return;
    const kept = (name) => (name === "open" && from.nodeName === "DETAILS") || name === "hidden";
    for (const { name } of [...from.attributes]) {
      if (!to.hasAttribute(name) && !kept(name)) from.removeAttribute(name);
    }
    for (const { name, value } of [...to.attributes]) {
      if (!kept(name) && from.getAttribute(name) !== value) from.setAttribute(name, value);
    }
    const named = new Map();
    for (const child of from.children) {
      if (child.id) named.set(child.id, child);
    }
    let next = from.firstChild;
    for (const wanted of [...to.childNodes]) {
      let same = wanted.id ? named.get(wanted.id) : next;
      if (same && !wanted.id && same.id) same = null;
      if (same && (same.nodeName !== wanted.nodeName || same.nodeType !== wanted.nodeType)) same = null;
      if (!same) {
        from.insertBefore(document.importNode(wanted, true), next);
        continue;
      }
      if (same === next) next = next.nextSibling;
      else from.insertBefore(same, next);
      morph(same, wanted);
    }
    while (next) {
      const gone = next;
      next = next.nextSibling;
      gone.remove();
    }
  }

  // show shows the buttons that need the script.
  function show() {
    byId("pause").hidden = false;
    if (!navigator.clipboard) return;
    for (const button of document.querySelectorAll(".copy")) button.hidden = false;
  }

  // isSelecting reports whether the reader has selected text of the main part.
  function isSelecting() {
    const selection = getSelection();
    return !selection.isCollapsed && byId("main").contains(selection.anchorNode);
  }

  // refresh fetches the page with the details of the informers that are open. While text is selected, it shows only another view.
  async function refresh(isOther = false) {
    clearTimeout(timer);
    if (running) running.abort();
    const own = (running = new AbortController());
    const stop = setTimeout(() => own.abort(new Error("no answer in " + timeout / 1000 + " seconds")), timeout);
    try {
      const open = [...document.querySelectorAll(".row details[open]")].map((d) => d.closest(".informer").id);
      const response = await fetch(address() + "&details=" + open.join(","), { headers: { Accept: "text/html" }, cache: "no-store", signal: own.signal }).catch((error) => {
        throw error instanceof TypeError ? new Error("no connection; check that the program runs, and the port-forward or proxy to it") : error;
      });
      const text = await response.text();
      if (!response.ok) throw new Error(text.slice(0, 200) || "status " + response.status);
      if (own !== running) return;
      if (isOther || !isSelecting()) apply(new DOMParser().parseFromString(text, "text/html"));
      byId("trouble").textContent = "";
    } catch (error) {
      if (own === running) {
        byId("trouble").textContent = "This page shows the state " + byId("when").textContent + ", because it cannot be refreshed: " + error.message + ".";
      }
    } finally {
      clearTimeout(stop);
      if (own === running) {
        running = null;
        plan();
      }
    }
  }

  // apply shows a newer page.
  function apply(page) {
    if (!page.getElementById("main")) throw new Error("the answer is not this page");
    const focused = document.activeElement;
    morph(byId("main"), page.getElementById("main"));
    morph(byId("when"), page.getElementById("when"));
    const [icon, newIcon] = [document, page].map((d) => d.querySelector("link[rel=icon]").getAttribute("href"));
    if (icon !== newIcon) document.querySelector("link[rel=icon]").setAttribute("href", newIcon);
    document.title = page.title;
    show();
    // An element that was moved loses the focus.
    if (focused && focused !== document.activeElement && focused.isConnected) focused.focus({ preventScroll: true });
  }

  function plan() {
    clearTimeout(timer);
    if (!paused && !document.hidden) timer = setTimeout(() => refresh(), interval);
  }

  // changed shows another view.
  function changed() {
    history.replaceState(null, "", address());
    refresh(true);
  }

  addEventListener("DOMContentLoaded", () => {
    const main = byId("main");
    show();
    byId("pause").addEventListener("click", () => {
      paused = !paused;
      byId("pause").setAttribute("aria-pressed", String(paused));
      byId("pause").textContent = paused ? "Paused" : "Pause";
      if (paused) plan();
      else refresh();
    });
    main.addEventListener("input", (event) => {
      view[event.target.name] = event.target.value;
      changed();
    });
    main.addEventListener("submit", (event) => {
      event.preventDefault();
      changed();
    });
    main.addEventListener("click", (event) => {
      const target = event.target.closest(".chip, thead a[data-sort], .copy, #all");
      if (!target || event.ctrlKey || event.metaKey || event.shiftKey) return;
      if (target.matches(".copy")) {
        const text = target.parentElement.querySelector("pre").textContent;
        const say = (answer) => {
          target.firstChild.data = answer;
          setTimeout(() => (target.firstChild.data = "Copy"), 2000);
        };
        navigator.clipboard.writeText(text).then(() => say("Copied"), () => say("Not copied"));
        return;
      }
      event.preventDefault();
      if (target.id === "all") {
        byId("q").value = view.q = view.state = "";
      } else if (target.matches(".chip")) {
        view.state = target.dataset.state;
      } else {
        byId("sort").value = view.sort = target.dataset.sort;
      }
      changed();
    });
    main.addEventListener("toggle", (event) => {
      if (event.target.open && event.target.closest(".row") && !paused) refresh();
    }, true);
    document.addEventListener("visibilitychange", () => (document.hidden || paused ? plan() : refresh()));
    plan();
  });
})();
