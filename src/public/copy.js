// Enables copy and print buttons, and protects secrets that are shown only once.

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
      // Without clipboard access, selects the text for the user to copy.
      getSelection()?.selectAllChildren(source);
    }
  });
}

for (const button of document.querySelectorAll('button[data-print]')) {
  button.hidden = false;
  button.addEventListener('click', () => print());
}

// Warns users who leave without copying a secret. Keeps the secret out of the back/forward cache.
const secrets = document.querySelectorAll('[data-once]');
const warnBeforeLeaving = (event) => event.preventDefault();
if (secrets.length > 0) addEventListener('beforeunload', warnBeforeLeaving);
for (const type of ['copy', 'beforeprint'])
  addEventListener(type, () => removeEventListener('beforeunload', warnBeforeLeaving));
document.querySelector('a[download]')?.addEventListener('click', () => dispatchEvent(new Event('copy')));
addEventListener('pagehide', () => {
  for (const element of secrets) element.replaceChildren();
});
addEventListener('pageshow', ({ persisted }) => {
  if (persisted && secrets.length > 0) location.reload();
});
