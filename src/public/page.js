// Behavior of all pages: prevents double submission, localizes times, scrolls tabs into view.

/** Milliseconds until a form can be resubmitted if the browser stays on the page, for example after a download. */
const RESUBMIT_DELAY = 4000;

addEventListener('submit', (event) => {
  if (event.defaultPrevented) return;
  const { target: form, submitter } = event;
  if (form.ariaBusy === 'true') return event.preventDefault();
  form.ariaBusy = 'true';
  if (submitter !== null) submitter.dataset.busy = '';
  setTimeout(() => reset(form), RESUBMIT_DELAY);
});

// Resets the forms if the page was restored from the back/forward cache.
addEventListener('pageshow', () => {
  for (const form of document.forms) reset(form);
});

function reset(form) {
  form.ariaBusy = null;
  for (const button of form.querySelectorAll('[data-busy]')) delete button.dataset.busy;
}

// Converts times from UTC to the local time zone. The `title` attribute contains the time in UTC.

const { lang } = document.documentElement;
const LOCALE = { en: 'en-GB' }[lang] ?? lang;
const CLOCK = { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' };
const STYLES = {
  day: { dateStyle: 'long' },
  minute: { dateStyle: 'long', timeStyle: 'short' },
  exact: { dateStyle: 'long', timeStyle: 'medium' },
  brief: CLOCK,
  'brief-exact': { ...CLOCK, second: '2-digit' },
};
const NOW = { en: 'just now', fr: 'à l’instant' }[lang];
const NO_BREAK = '\u00a0';
/** The preposition before a date that is shown in place of a relative time. */
const ON = { fr: `le${NO_BREAK}` }[lang] ?? '';
const MINUTE = 60_000;
const DAY = 86_400_000;
/** Times that are this many days old, or older, are shown as dates. */
const MAX_RELATIVE_DAYS = 7;

const relative = new Intl.RelativeTimeFormat(LOCALE, { numeric: 'auto' });
const formats = new Map();

/** Caches Intl formatters, because creating a formatter is slow. */
function formatIntl(at, style, options) {
  const key = style + JSON.stringify(options);
  if (!formats.has(key)) formats.set(key, new Intl.DateTimeFormat(LOCALE, { ...STYLES[style], ...options }));
  return formats.get(key).format(at);
}

/**
 * Formats a time like the server: "1er novembre 2026 à 13 h 05 min 31 s". The text can wrap only before the time of
 * day.
 */
const format = (at, style, timeZone) => typeset(formatIntl(at, style, { timeZone }), style);

/** Formats a short time: "1er nov., 13 h 05" or, with seconds, "1er nov., 13:05:31". Omits the current year. */
const formatShort = (at, style) =>
  typeset(
    formatIntl(at, style, at.getFullYear() === new Date().getFullYear() ? {} : { year: 'numeric' }),
    style,
  );

const typeset = (text, style) =>
  (lang === 'fr'
    ? text.replace(/^1 /, '1er ').replace(/(\d\d):(\d\d)(?::(\d\d))?/, (time, hours, minutes, seconds) => {
        if (style === 'brief-exact') return time;
        const hour = Number(hours);
        return seconds ? `${hour} h ${minutes} min ${seconds} s` : `${hour} h ${minutes}`;
      })
    : text
  )
    .replaceAll(' ', NO_BREAK)
    .replace(/\u00a0(?=(?:à|at)\u00a0)|(?<=,)\u00a0/, ' ');

/**
 * Returns a relative time, or undefined for a time in the future or at least MAX_RELATIVE_DAYS days ago. Tolerates a
 * local clock that is up to a minute slow.
 */
function formatAgo(at, now) {
  if (at - now > MINUTE) return undefined;
  const seconds = Math.max(0, Math.floor((now - at) / 1000));
  const days = Math.round((midnight(now) - midnight(at)) / DAY);
  if (seconds < 60) return NOW ?? relative.format(0, 'second');
  if (seconds < 3600) return relative.format(-Math.floor(seconds / 60), 'minute');
  if (days < 1) return relative.format(-Math.floor(seconds / 3600), 'hour');
  return days < MAX_RELATIVE_DAYS ? relative.format(-days, 'day') : undefined;
}

const midnight = (at) => new Date(at).setHours(0, 0, 0, 0);

function updateTimes() {
  for (const time of document.querySelectorAll('time[datetime]')) {
    const at = new Date(time.dateTime);
    const kind = time.dataset.as ?? 'minute';
    const utc = `${format(at, kind === 'minute' ? 'minute' : 'exact', 'UTC')} UTC`;
    const short = kind.startsWith('brief')
      ? formatShort(at, kind)
      : kind === 'ago' && formatAgo(at, Date.now());
    time.textContent = short || (kind === 'ago' ? ON : '') + format(at, kind in STYLES ? kind : 'minute');
    time.title = short ? `${format(at, 'exact')} (${utc})` : utc;
  }
}

updateTimes();
if (document.querySelector('[data-as="ago"]') !== null) setInterval(updateTimes, MINUTE);

for (const tab of document.querySelectorAll('.tabs [aria-current]')) {
  const row = tab.closest('ul');
  row.scrollLeft = tab.offsetLeft - row.offsetLeft - (row.clientWidth - tab.offsetWidth) / 2;
}

if (document.querySelector('input:not([type=hidden]), textarea, select') !== null) import('./fields.js');
else sessionStorage.removeItem('typed'); // fields.js saved the values for a different page
