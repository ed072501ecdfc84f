// The button that allows access waits until its page has been visible and focused for half a second, so that a click that was
// meant for another page or window does not press it.

const DELIBERATION = 500;
const deliberate = document.querySelector('[data-deliberate]');

if (deliberate !== null) {
  let ready;
  const restart = () => {
    clearTimeout(ready);
    deliberate.ariaDisabled = 'true';
    if (document.visibilityState !== 'visible' || !document.hasFocus()) return;
    ready = setTimeout(() => {
      deliberate.ariaDisabled = null;
    }, DELIBERATION);
  };
  deliberate.addEventListener('click', (event) => {
    if (deliberate.ariaDisabled === 'true') event.preventDefault();
  });
  for (const type of ['focus', 'blur', 'pageshow']) addEventListener(type, restart);
  document.addEventListener('visibilitychange', restart);
  restart();
}
