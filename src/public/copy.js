// Lets button[data-copy="#id"] copy the text of that element, and button[data-print] print the page. Without this script the
// buttons stay hidden, and the text is selected by hand. A secret that was shown once goes from a page that the browser keeps for
// its back button.

for (const button of document.querySelectorAll('button[data-copy]')) {
  const source = document.querySelector(button.dataset.copy);
  const label = button.querySelector('[data-label]') ?? button;
  const words = label.textContent;
  button.hidden = false;
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(source.value ?? source.textContent);
      label.textContent = button.dataset.copied;
      setTimeout(() => {
        label.textContent = words;
      }, 2000);
    } catch {
      // Not allowed to: what is selected can be copied by the keyboard.
      getSelection()?.selectAllChildren(source);
    }
  });
}

for (const button of document.querySelectorAll('button[data-print]')) {
  button.hidden = false;
  button.addEventListener('click', () => print());
}

// What is shown once is gone when the page is left: browsers may keep a page as it was, for the way back.
const once = document.querySelectorAll('[data-once]');
addEventListener('pagehide', () => {
  for (const shown of once) shown.replaceChildren();
});
// Whether it may still be shown is for the service to say.
addEventListener('pageshow', ({ persisted }) => {
  if (persisted && once.length > 0) location.reload();
});
