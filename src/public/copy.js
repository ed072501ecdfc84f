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
      if (source.matches('[data-once]')) dispatchEvent(new Event('copy'));
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

// What is shown once can't be shown again: leaving before it was copied asks first, and browsers that keep a page for the way back
// keep it without.
const once = document.querySelectorAll('[data-once]');
const warn = (event) => event.preventDefault();
if (once.length > 0) addEventListener('beforeunload', warn);
for (const type of ['copy', 'beforeprint'])
  addEventListener(type, () => removeEventListener('beforeunload', warn));
document.querySelector('a[download]')?.addEventListener('click', () => dispatchEvent(new Event('copy')));
addEventListener('pagehide', () => {
  for (const shown of once) shown.replaceChildren();
});
addEventListener('pageshow', ({ persisted }) => {
  if (persisted && once.length > 0) location.reload();
});
