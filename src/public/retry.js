// Disables links and buttons until a countdown ends.

for (const control of document.querySelectorAll('[data-retry-after]')) {
  const { retryAfter, text, wait } = control.dataset;
  const end = Date.now() + Number(retryAfter) * 1000;
  const label = control.querySelector('span');
  const countDown = () => {
    const seconds = Math.ceil((end - Date.now()) / 1000);
    control.ariaDisabled = seconds > 0 ? 'true' : null;
    if (seconds <= 0) {
      label.textContent = text;
      return;
    }
    label.textContent = `${wait} ${seconds < 120 ? `${seconds}\u00a0s` : `${Math.ceil(seconds / 60)}\u00a0min`}`;
    setTimeout(countDown, end - Date.now() - (seconds - 1) * 1000);
  };
  control.addEventListener('click', (event) => {
    if (control.ariaDisabled === 'true') event.preventDefault();
  });
  countDown();
}
