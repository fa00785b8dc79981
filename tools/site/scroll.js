// What is wider than the page scrolls in a box of its own: the keyboard has to reach that box.
"use strict";
{
  const BOXES = "pre, .output.text_html, .table-wrapper, div.math > mjx-container";
  const sizes = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      if (target.scrollWidth > target.clientWidth) target.tabIndex = 0;
      else target.removeAttribute("tabindex");
    }
  });
  addEventListener("load", async () => {
    await window.MathJax?.startup?.promise;
    document.querySelectorAll(BOXES).forEach((box) => sizes.observe(box));
  });
}
