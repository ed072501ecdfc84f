// Passkeys: signing in from the address field or by a button, confirming by one, making one, and telling whatever keeps them
// which are still good. What it needs stands in the page; where the browser knows no passkeys, nothing of it is seen.

const {
  browserSupportsWebAuthn,
  browserSupportsWebAuthnAutofill,
  platformAuthenticatorIsAvailable,
  sendSignal,
  startAuthentication,
  startRegistration,
} = globalThis.SimpleWebAuthnBrowser;

/** Challenges are good for five minutes: in a page that stays open they are replaced before, in milliseconds. */
const FRESH = 4 * 60_000;

const parts = [...document.querySelectorAll('[data-passkey]')];
const kind = (part) => part.dataset.passkey;
const optionsOf = (part) => JSON.parse(part.dataset.options);

function say(part, words) {
  const status = part.querySelector('.passkey-status');
  status.textContent = words;
  if (words !== '') status.scrollIntoView({ block: 'nearest' });
}

/** Whoever closes the browser's question has done nothing wrong, and reads so. */
function sayWhy(part, { name, cause }) {
  const { cancelled, known, failed } = part.querySelector('.passkey-status').dataset;
  const why = cause?.name ?? name;
  say(part, why === 'InvalidStateError' ? known : /^(NotAllowed|Abort)Error$/.test(why) ? cancelled : failed);
}

function send(part, answer, submitter) {
  const input = part.querySelector('input[type=hidden]');
  input.value = JSON.stringify(answer);
  input.disabled = false;
  part.closest('form').requestSubmit(submitter);
}

/** Asks for a passkey when its button is pressed. */
function ask(part) {
  const button = part.querySelector('button[type=button]');
  part.hidden = false;
  button.hidden = false;
  button.addEventListener('click', async () => {
    if (button.ariaDisabled === 'true') return;
    button.ariaDisabled = 'true';
    say(part, '');
    try {
      send(part, await startAuthentication({ optionsJSON: optionsOf(part) }));
    } catch (error) {
      sayWhy(part, error);
      offer(part);
    } finally {
      button.ariaDisabled = null;
    }
  });
}

/**
 * Asks for a passkey when its form is sent and nothing else is entered to confirm with, and sends it along by the button that was
 * pressed: which one it was may be the answer.
 */
function prove(part) {
  const form = part.closest('form');
  const input = part.querySelector('input[type=hidden]');
  const others = [...form.querySelectorAll('[name=current_password], [name=confirmation_code]')];
  const isConfirmed = () => others.some((field) => field.checkVisibility() && field.value !== '');
  let asking = false;
  form.addEventListener('submit', async (event) => {
    const { submitter } = event;
    // Buttons from elsewhere on the page, as for the other language, do nothing that would have to be confirmed.
    if ((submitter !== null && !form.contains(submitter)) || isConfirmed()) return;
    // Once it has gone along it is spent, and the page may stay, as after a download; but first a passkey may still be made.
    if (!input.disabled) {
      setTimeout(() => {
        input.disabled = !event.defaultPrevented;
      });
      return;
    }
    event.preventDefault();
    if (asking) return;
    asking = true;
    say(part, '');
    try {
      send(part, await startAuthentication({ optionsJSON: optionsOf(part) }), submitter);
    } catch (error) {
      sayWhy(part, error);
    } finally {
      asking = false;
    }
  });
  part.hidden = false;
}

/** Lets the browser offer passkeys in the address field. Whoever presses the button ends that. */
async function offer(part) {
  if (!(await browserSupportsWebAuthnAutofill())) return;
  try {
    send(part, await startAuthentication({ optionsJSON: optionsOf(part), useBrowserAutofill: true }));
  } catch {
    // Nobody has chosen any, or the button was pressed.
  }
}

/** Makes a passkey when its form is sent, and sends it along. */
function make(part) {
  let made;
  part.closest('form').addEventListener('submit', async (event) => {
    if (made !== undefined || event.defaultPrevented) return; // a proof is asked for first
    event.preventDefault();
    say(part, '');
    try {
      made = await startRegistration({ optionsJSON: optionsOf(part) });
      send(part, made);
    } catch (error) {
      sayWhy(part, error);
    }
  });
  part.hidden = false;
  addEventListener('pageshow', () => {
    made = undefined;
  });
}

/** Takes new challenges from this same page. */
async function renew() {
  if (document.hidden) return document.addEventListener('visibilitychange', renew, { once: true });
  try {
    // A page that leads on by now has none; whoever followed it would go where the person is to go.
    const answer = await fetch(location.href, { headers: { accept: 'text/html' }, redirect: 'error' });
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
    for (const part of parts) {
      const fresh = page.querySelector(`[data-passkey="${kind(part)}"]`);
      if (fresh !== null) part.dataset.options = fresh.dataset.options;
      if (fresh !== null && kind(part) === 'sign-in') offer(part);
    }
  } catch {
    // Not reached: the next one may be.
  }
  setTimeout(renew, FRESH);
}

async function tell({ dataset }) {
  const { rpId: rpID, unknown, userId: userID, ...said } = JSON.parse(dataset.passkeySignal);
  const signals =
    unknown === undefined
      ? [
          { signalName: 'allAcceptedCredentials', rpID, userID, allAcceptedCredentialIDs: said.accepted },
          {
            signalName: 'currentUserDetails',
            rpID,
            userID,
            userName: said.email,
            userDisplayName: said.name,
          },
        ]
      : [{ signalName: 'unknownCredential', rpID, credentialID: unknown }];
  // As far as the browser knows them; what comes of it, nobody learns.
  for (const signal of signals) await sendSignal(signal).catch(() => {});
}

if (browserSupportsWebAuthn()) {
  for (const signal of document.querySelectorAll('[data-passkey-signal]')) await tell(signal);
  for (const part of parts) {
    if (kind(part) === 'create') make(part);
    else if (kind(part) === 'confirm') prove(part);
    else ask(part);
    if (kind(part) === 'sign-in') offer(part);
  }
  if (parts.length > 0) setTimeout(renew, FRESH);
  // A device that can hold one may be offered one after the password.
  const able = document.querySelector('input[name=able]');
  if (able !== null && (await platformAuthenticatorIsAvailable())) able.disabled = false;
} else {
  for (const part of parts) {
    // What there is without is all there is.
    if (kind(part) === 'confirm' && part.nextElementSibling?.matches('details'))
      part.nextElementSibling.open = true;
    part.replaceWith(kind(part) === 'create' ? part.querySelector('.passkey-status').dataset.failed : '');
  }
}
