// Behavior of all pages: busy buttons, local times, and tabs that scroll into view.

const BUSY_DELAY = 300;
/** Milliseconds until a form can be submitted again. */
const RESUBMIT_DELAY = 30_000;
/** Like RESUBMIT_DELAY, but for forms that start a download. */
const DOWNLOAD_DELAY = 4000;

addEventListener('submit', (event) => {
  if (event.defaultPrevented) return;
  const { target: form, submitter } = event;
  if (form.ariaBusy === 'true') return event.preventDefault();
  form.ariaBusy = 'true';
  // Forms submitted by a script have no submitter.
  const button = submitter ?? form.querySelector('button[aria-busy], button[type=submit]');
  setTimeout(() => {
    if (form.ariaBusy === 'true' && button !== null) button.ariaBusy = 'true';
  }, BUSY_DELAY);
  setTimeout(() => reset(form), 'download' in form.dataset ? DOWNLOAD_DELAY : RESUBMIT_DELAY);
});

addEventListener('pageshow', () => {
  for (const form of document.forms) reset(form);
});

function reset(form) {
  form.ariaBusy = null;
  for (const control of form.elements) control.ariaBusy = null;
}

const { lang } = document.documentElement;
const LOCALE = { en: 'en-GB' }[lang] ?? lang;
const DAY_AND_MONTH = { day: 'numeric', month: 'short' };
const HOUR_AND_MINUTE = { hour: '2-digit', minute: '2-digit' };
const DATE_STYLES = {
  day: DAY_AND_MONTH,
  minute: { ...DAY_AND_MONTH, ...HOUR_AND_MINUTE },
  second: { ...DAY_AND_MONTH, ...HOUR_AND_MINUTE, second: '2-digit' },
};
const JUST_NOW = { en: 'just now', fr: 'à l’instant' }[lang];
const NO_BREAK = '\u00a0';
const DATE_PREFIX = { fr: `le${NO_BREAK}` }[lang] ?? '';
const MINUTE = 60_000;
const DAY = 86_400_000;
const MAX_CLOCK_DRIFT = 5 * MINUTE;
/** Older times are shown as dates. */
const MAX_RELATIVE_DAYS = 7;

const relativeFormat = new Intl.RelativeTimeFormat(LOCALE, { numeric: 'auto' });
const cachedFormats = new Map();

function formatIntl(at, style, options) {
  const key = style + JSON.stringify(options);
  if (!cachedFormats.has(key))
    cachedFormats.set(key, new Intl.DateTimeFormat(LOCALE, { ...DATE_STYLES[style], ...options }));
  return cachedFormats.get(key).format(at);
}

const YEAR = { year: 'numeric' };

const formatLocal = (at, style) =>
  typeset(formatIntl(at, style, at.getFullYear() === new Date().getFullYear() ? {} : YEAR));

const formatExact = (at) =>
  `${typeset(formatIntl(at, 'second', YEAR))} (${typeset(formatIntl(at, 'second', { ...YEAR, timeZone: 'UTC' }))} UTC)`;

/** Adds no-break spaces so that the text can wrap only before the time of day. */
const typeset = (text) =>
  (lang === 'fr'
    ? text
        .replace(/^1 /, '1er ')
        .replace(/,?(?: à)? (?=\d\d:)/, ' à ')
        .replace(/ à 0?(\d+):(\d\d)$/, ' à $1 h $2')
    : text
  )
    .replaceAll(' ', NO_BREAK)
    .replace(/\u00a0(?=à\u00a0)|(?<=,)\u00a0/, ' ');

/**
 * Returns undefined for future times and for times MAX_RELATIVE_DAYS or more ago. Tolerates a local clock that is up to
 * MAX_CLOCK_DRIFT slow.
 */
function formatAgo(at, now) {
  if (at - now > MAX_CLOCK_DRIFT) return undefined;
  const seconds = Math.max(0, Math.floor((now - at) / 1000));
  const days = Math.round((midnight(now) - midnight(at)) / DAY);
  if (seconds < 60) return JUST_NOW ?? relativeFormat.format(0, 'second');
  if (seconds < 3600) return relativeFormat.format(-Math.floor(seconds / 60), 'minute');
  if (days < 1) return relativeFormat.format(-Math.floor(seconds / 3600), 'hour');
  return days < MAX_RELATIVE_DAYS ? relativeFormat.format(-days, 'day') : undefined;
}

const midnight = (at) => new Date(at).setHours(0, 0, 0, 0);

function updateTimes() {
  for (const time of document.querySelectorAll('time[data-as]')) {
    const at = new Date(time.dateTime);
    const kind = time.dataset.as;
    time.textContent =
      kind === 'ago'
        ? (formatAgo(at, Date.now()) ?? DATE_PREFIX + formatLocal(at, 'minute'))
        : formatLocal(at, kind);
    time.title = formatExact(at);
  }
}

updateTimes();
if (document.querySelector('[data-as="ago"]') !== null) setInterval(updateTimes, MINUTE);

for (const link of document.querySelectorAll('.tabs [aria-current]')) {
  const row = link.closest('nav').querySelector('ul');
  row.scrollLeft = link.offsetLeft - row.offsetLeft - (row.clientWidth - link.offsetWidth) / 2;
}

// A page without fields can't restore the values that fields.js saved.
if (document.querySelector('input:not([type=hidden]), textarea, select') !== null) import('./fields.js');
else sessionStorage.removeItem('typed');
