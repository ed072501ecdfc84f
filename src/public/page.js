// What every page can do a little better with a script: a form that was sent says so, and is sent once.

/** A form may be sent again after this many milliseconds: the answer may be a download, which leaves the page as it is. */
const PATIENCE = 4000;

addEventListener('submit', (event) => {
  const { target: form, submitter } = event;
  if (form.ariaBusy === 'true') return event.preventDefault();
  form.ariaBusy = 'true';
  if (submitter !== null) submitter.dataset.busy = '';
  setTimeout(() => rest(form), PATIENCE);
});

// Back to a page that the browser kept as it was left.
addEventListener('pageshow', () => {
  for (const form of document.forms) rest(form);
});

function rest(form) {
  form.ariaBusy = null;
  for (const button of form.querySelectorAll('[data-busy]')) delete button.dataset.busy;
}
