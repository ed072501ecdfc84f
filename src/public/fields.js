// Makes fields easier to use: typed values survive a change of language, the email address is carried between sign-in pages,
// passwords can be shown, and the strength of a new password is shown a moment after the last key.

const OTHER_LANGUAGE = 'a[hreflang]';
const OTHER_ENTRANCE = 'a[href^="/signin"], a[href^="/signup"], a[href^="/password/forgot"]';
/** Never a password, which is a text field while it is shown. */
const TYPED =
  'input:not([type=hidden], [type=checkbox], [type=radio], [type=file], [autocomplete$=-password]), textarea, select';

const { show, hide } = document.body.dataset;

addEventListener('click', ({ target, ctrlKey, metaKey, shiftKey }) => {
  const way = target.closest?.('a');
  if (!way?.matches(`${OTHER_LANGUAGE}, ${OTHER_ENTRANCE}`)) return;
  if (ctrlKey || metaKey || shiftKey) return; // it opens elsewhere, and this page stays
  const fields = way.matches(OTHER_LANGUAGE) ? [...document.querySelectorAll(TYPED)] : [emailField()];
  const typed = fields.flatMap((field) => (field?.name && field.value ? [[field.name, field.value]] : []));
  sessionStorage.setItem('typed', JSON.stringify([placeOf(way.href), typed]));
});

/** A page of one request: what is typed on the way to one application is nothing to the next. */
function placeOf(address) {
  const { pathname, searchParams } = new URL(address);
  return `${pathname} ${searchParams.get('pending')}`;
}

function restore() {
  const [place, typed] = JSON.parse(sessionStorage.getItem('typed') ?? '[]');
  sessionStorage.removeItem('typed');
  if (place !== placeOf(location.href)) return;
  const fields = [...document.querySelectorAll(TYPED)];
  for (const [name, value] of typed) {
    const field = fields.find((one) => one.name === name);
    // Whoever was faster than this script has typed something newer.
    if (field !== undefined && field.value === (field.defaultValue ?? field.value)) field.value = value;
  }
}

const emailField = () => document.querySelector('input[name=email]:not([type=hidden])');

/** A button in the field, for whoever wants to see what they type. The field stays where it is: moved, it would lose the focus. */
function makeReadable(field) {
  const button = document.createElement('button');
  field.after(button);
  Object.assign(button, { type: 'button', className: 'readable-button' });
  button.setAttribute('aria-controls', field.id);
  const turn = (readable) => {
    field.type = readable ? 'text' : 'password';
    button.textContent = readable ? hide : show;
  };
  turn(false);
  button.addEventListener('click', () => turn(field.type === 'password'));
  field.form?.addEventListener('submit', () => turn(false)); // browsers remember what stands in text fields
  addEventListener('pageshow', () => turn(false));
}

/** Milliseconds after the last key. */
const PAUSE = 500;

function sayStrength(field) {
  const words = document.getElementById(`${field.id}-strength`);
  let last = { password: '', weak: false };
  let waiting;

  async function ask() {
    const password = field.value;
    const said =
      [...password].length < Number(field.dataset.least) ? undefined : await judge(field, password);
    if (field.value !== password) return; // typed on meanwhile
    last = { password, weak: said?.weak === true };
    words.textContent = said?.text ?? '';
    words.dataset.strength = said?.strength ?? '';
  }

  const askSoon = () => {
    clearTimeout(waiting);
    waiting = setTimeout(ask, PAUSE);
  };
  field.addEventListener('input', askSoon);
  if (field.value !== '') askSoon(); // typed before this script was there
  // A password that is known to be refused isn't sent, so it needn't be typed again.
  field.form.addEventListener('submit', (event) => {
    if (!last.weak || last.password !== field.value) return;
    event.preventDefault();
    field.focus();
  });
}

/** Nothing where it cannot be said: then it is said when the form is sent. */
async function judge(field, password) {
  const { csrf, name, email } = field.form.elements;
  const sent = { csrf: csrf.value, password, name: name?.value ?? '', email: email?.value ?? '' };
  try {
    const answer = await fetch(field.dataset.strength, { method: 'POST', body: new URLSearchParams(sent) });
    return answer.ok ? await answer.json() : undefined;
  } catch {
    return undefined;
  }
}

restore();
for (const field of document.querySelectorAll('input[type=password]')) makeReadable(field);
for (const field of document.querySelectorAll('input[data-strength]')) sayStrength(field);
