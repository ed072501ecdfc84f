// What every page can do a little better with a script: a form that was sent says so, and is held back for some seconds before
// it may be sent again; times are said in the reader's own zone; a row of tabs shows the one that is chosen.

/** A form may be sent again after this many milliseconds: the answer may be a download, which leaves the page as it is. */
const PATIENCE = 4000;

addEventListener('submit', (event) => {
  if (event.defaultPrevented) return;
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

// Times come in UTC, and say so. Here they are said in the reader's zone, with UTC in the title; `ago` as people think of it.

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
/** Before a day that stands in place of « three days ago ». */
const ON = { fr: `le${NO_BREAK}` }[lang] ?? '';
const A_MINUTE = 60_000;
const A_DAY = 86_400_000;
/** Longer ago than these days it is said when. */
const LATELY = 7;

const relative = new Intl.RelativeTimeFormat(LOCALE, { numeric: 'auto' });
const formats = new Map();

/** Formats are kept: making one takes longer than using it. */
function written(at, style, more) {
  const name = style + JSON.stringify(more);
  if (!formats.has(name)) formats.set(name, new Intl.DateTimeFormat(LOCALE, { ...STYLES[style], ...more }));
  return formats.get(name).format(at);
}

/** As the pages set it: « 1er novembre 2026 à 13 h 05 min 31 s », whose one place to break at is before the time. */
const say = (at, style, timeZone) => typeset(written(at, style, { timeZone }), style);

/** « 1er nov., 13 h 05 », with the year where it is not this one; to the second « 13:05:31 », as on a clock. */
const sayInShort = (at, style) =>
  typeset(
    written(at, style, at.getFullYear() === new Date().getFullYear() ? {} : { year: 'numeric' }),
    style,
  );

const typeset = (words, style) =>
  (lang === 'fr'
    ? words.replace(/^1 /, '1er ').replace(/(\d\d):(\d\d)(?::(\d\d))?/, (time, hours, minutes, seconds) => {
        if (style === 'brief-exact') return time;
        const hour = Number(hours);
        return seconds ? `${hour} h ${minutes} min ${seconds} s` : `${hour} h ${minutes}`;
      })
    : words
  )
    .replaceAll(' ', NO_BREAK)
    .replace(/\u00a0(?=(?:à|at)\u00a0)|(?<=,)\u00a0/, ' ');

/** How long ago; nothing when that is no help any more. A clock that is a little slow makes nothing happen in the future. */
function ago(at, now) {
  if (at - now > A_MINUTE) return undefined;
  const seconds = Math.max(0, Math.floor((now - at) / 1000));
  const days = Math.round((midnight(now) - midnight(at)) / A_DAY);
  if (seconds < 60) return NOW ?? relative.format(0, 'second');
  if (seconds < 3600) return relative.format(-Math.floor(seconds / 60), 'minute');
  if (days < 1) return relative.format(-Math.floor(seconds / 3600), 'hour');
  return days < LATELY ? relative.format(-days, 'day') : undefined;
}

const midnight = (at) => new Date(at).setHours(0, 0, 0, 0);

function sayTimes() {
  for (const time of document.querySelectorAll('time[datetime]')) {
    const at = new Date(time.dateTime);
    const kind = time.dataset.as ?? 'minute';
    const utc = `${say(at, kind === 'minute' ? 'minute' : 'exact', 'UTC')} UTC`;
    const short = kind.startsWith('brief') ? sayInShort(at, kind) : kind === 'ago' && ago(at, Date.now());
    time.textContent = short || (kind === 'ago' ? ON : '') + say(at, kind in STYLES ? kind : 'minute');
    time.title = short ? `${say(at, 'exact')} (${utc})` : utc;
  }
}

sayTimes();
if (document.querySelector('[data-as="ago"]') !== null) setInterval(sayTimes, A_MINUTE);

// A row of tabs that scrolls, as on phones, shows the one that is chosen.
for (const tab of document.querySelectorAll('.tabs [aria-current]')) {
  const row = tab.closest('ul');
  row.scrollLeft = tab.offsetLeft - row.offsetLeft - (row.clientWidth - tab.offsetWidth) / 2;
}

// A page with fields has more to make easier.
if (document.querySelector('input:not([type=hidden]), textarea, select') !== null) import('./fields.js');
else sessionStorage.removeItem('typed'); // what fields.js carries to one page is nothing to a later one
