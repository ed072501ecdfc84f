// Restores entered values after a language change, shows passwords and rates their strength.

const LANGUAGE_LINKS = 'a[hreflang]';
const LOGIN_LINKS = 'a[href^="/signin"], a[href^="/signup"], a[href^="/password/forgot"]';
/** Visible passwords have the type `text`, so the selector checks `autocomplete`. */
const RESTORABLE_FIELDS =
  'input:not([type=hidden], [type=checkbox], [type=radio], [type=file], [autocomplete$=-password]), textarea, select';

const { show, hide } = document.body.dataset;

addEventListener('click', ({ target, ctrlKey, metaKey, shiftKey }) => {
  const link = target.closest?.('a');
  if (!link?.matches(`${LANGUAGE_LINKS}, ${LOGIN_LINKS}`)) return;
  // With a modifier key, the link opens in a new tab or window.
  if (ctrlKey || metaKey || shiftKey) return;
  const fields = link.matches(LANGUAGE_LINKS)
    ? [...document.querySelectorAll(RESTORABLE_FIELDS)]
    : [emailField()];
  const entered = fields.flatMap((field) => (field?.name && field.value ? [[field.name, field.value]] : []));
  sessionStorage.setItem('typed', JSON.stringify([pageKey(link.href), entered]));
});

/** Includes the pending request so that values are never restored for another client. */
function pageKey(href) {
  const { pathname, searchParams } = new URL(href);
  return `${pathname} ${searchParams.get('pending')}`;
}

function restore() {
  const [key, entered] = JSON.parse(sessionStorage.getItem('typed') ?? '[]');
  sessionStorage.removeItem('typed');
  if (key !== pageKey(location.href)) return;
  const fields = [...document.querySelectorAll(RESTORABLE_FIELDS)];
  for (const [name, value] of entered) {
    const field = fields.find((candidate) => candidate.name === name);
    // Keeps a value that the user entered before this script ran.
    if (field !== undefined && field.value === (field.defaultValue ?? field.value)) field.value = value;
  }
}

const emailField = () => document.querySelector('input[name=email]:not([type=hidden])');

/** Leaves the field in place because a moved element loses focus. */
function addToggle(field) {
  const button = document.createElement('button');
  field.after(button);
  Object.assign(button, { type: 'button', className: 'password-toggle' });
  button.setAttribute('aria-controls', field.id);
  const setVisible = (visible) => {
    field.type = visible ? 'text' : 'password';
    button.textContent = visible ? hide : show;
  };
  setVisible(false);
  button.addEventListener('click', () => setVisible(field.type === 'password'));
  // Hides the password before submission because browsers remember the values of text fields.
  field.form?.addEventListener('submit', () => setVisible(false));
  addEventListener('pageshow', () => setVisible(false));
}

const DEBOUNCE = 500;

function showStrength(field) {
  const output = document.getElementById(`${field.id}-strength`);
  let lastRating = { password: '', weak: false };
  let timer;

  async function updateRating() {
    const password = field.value;
    const rating =
      [...password].length < Number(field.dataset.minLength) ? undefined : await fetchRating(field, password);
    // The user has changed the password since the request.
    if (field.value !== password) return;
    lastRating = { password, weak: rating?.weak === true };
    output.textContent = rating?.text ?? '';
    output.dataset.strength = rating?.strength ?? '';
  }

  const scheduleUpdate = () => {
    clearTimeout(timer);
    timer = setTimeout(updateRating, DEBOUNCE);
  };
  field.addEventListener('input', scheduleUpdate);
  if (field.value !== '') scheduleUpdate();
  field.form.addEventListener('submit', (event) => {
    if (!lastRating.weak || lastRating.password !== field.value) return;
    event.preventDefault();
    field.focus();
  });
}

/** Returns undefined if the request fails. The server checks the submitted password again. */
async function fetchRating(field, password) {
  const { csrf, name, email } = field.form.elements;
  const parameters = { csrf: csrf.value, password, name: name?.value ?? '', email: email?.value ?? '' };
  try {
    const response = await fetch(field.dataset.strength, {
      method: 'POST',
      body: new URLSearchParams(parameters),
    });
    return response.ok ? await response.json() : undefined;
  } catch {
    return undefined;
  }
}

restore();
for (const field of document.querySelectorAll('input[type=password]')) addToggle(field);
for (const field of document.querySelectorAll('input[data-strength]')) showStrength(field);
