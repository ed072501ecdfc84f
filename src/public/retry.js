// The retry link on error pages, which counts down the waiting time before it works.

const retryLink = document.querySelector('a[data-retry-after]');

if (retryLink !== null) {
  const { retryAfter, text, wait } = retryLink.dataset;
  const end = Date.now() + Number(retryAfter) * 1000;
  const label = retryLink.querySelector('span');
  const countDown = () => {
    const seconds = Math.ceil((end - Date.now()) / 1000);
    retryLink.ariaDisabled = seconds > 0 ? 'true' : null;
    if (seconds <= 0) {
      label.textContent = text;
      return;
    }
    label.textContent = `${wait} ${seconds < 120 ? `${seconds}\u00a0s` : `${Math.ceil(seconds / 60)}\u00a0min`}`;
    setTimeout(countDown, end - Date.now() - (seconds - 1) * 1000);
  };
  retryLink.addEventListener('click', (event) => {
    if (retryLink.ariaDisabled === 'true') event.preventDefault();
  });
  countDown();
}
