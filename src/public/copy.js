// Enables the copy and print buttons, which are hidden without this script.
// `data-copy` is a selector for the element whose text is copied. Also keeps secrets that are shown only once out
// of the back/forward cache.

for (const button of document.querySelectorAll('button[data-copy]')) {
  const source = document.querySelector(button.dataset.copy);
  const label = button.querySelector('[data-label]') ?? button;
  const originalText = label.textContent;
  button.hidden = false;
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(source.value ?? source.textContent);
      label.textContent = button.dataset.copied;
      if (source.matches('[data-once]')) dispatchEvent(new Event('copy'));
      setTimeout(() => {
        label.textContent = originalText;
      }, 2000);
    } catch {
      // Without access to the clipboard, selects the text so that the user can copy it.
      getSelection()?.selectAllChildren(source);
    }
  });
}

for (const button of document.querySelectorAll('button[data-print]')) {
  button.hidden = false;
  button.addEventListener('click', () => print());
}

// Asks for confirmation if the user leaves before copying a secret that is shown only once. Removes the secret when the
// page enters the back/forward cache.
const secrets = document.querySelectorAll('[data-once]');
const warn = (event) => event.preventDefault();
if (secrets.length > 0) addEventListener('beforeunload', warn);
for (const type of ['copy', 'beforeprint'])
  addEventListener(type, () => removeEventListener('beforeunload', warn));
document.querySelector('a[download]')?.addEventListener('click', () => dispatchEvent(new Event('copy')));
addEventListener('pagehide', () => {
  for (const element of secrets) element.replaceChildren();
});
addEventListener('pageshow', ({ persisted }) => {
  if (persisted && secrets.length > 0) location.reload();
});
