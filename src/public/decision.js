// Clickjacking protection: delays the "Allow" button.
// The button works once the page has been visible and focused for half a second.

const ALLOW_DELAY = 500;
const allowButton = document.querySelector('[data-deliberate]');

if (allowButton !== null) {
  let timer;
  const restartDelay = () => {
    clearTimeout(timer);
    allowButton.ariaDisabled = 'true';
    if (document.visibilityState !== 'visible' || !document.hasFocus()) return;
    timer = setTimeout(() => {
      allowButton.ariaDisabled = null;
    }, ALLOW_DELAY);
  };
  allowButton.addEventListener('click', (event) => {
    if (allowButton.ariaDisabled === 'true') event.preventDefault();
  });
  for (const type of ['focus', 'blur', 'pageshow']) addEventListener(type, restartDelay);
  document.addEventListener('visibilitychange', restartDelay);
  restartDelay();
}
