// English: activity charts and statistics.
import { english, formatRangeStart } from '../formats.ts';
import type { activity as reference } from '../fr/activity.ts';

export const activity: typeof reference = {
  title: 'Activity',
  titleOf: (application) => `Activity for ${application}`,
  lead: 'The statistics are anonymous.',
  kept: (days) => `Days and hours are in UTC. Statistics are kept for ${days} days.`,

  number: (count) => english.number(count),
  milliseconds: (value) => `${english.precise(value)} ms`,
  precise: (value) => english.precise(value),
  shortDay: (day) => english.shortDay(day),
  weekday: (day) => english.weekday(day),
  hour: (hour) => `${String(hour).padStart(2, '0')}:00`,
  pair: (label, value) => `${label}: ${value}`,
  fromTo: (first, last) => `${formatRangeStart(first, last)} to ${last}`,
  onDay: (day) => `${day}, hour by hour`,

  inAll: 'in total',
  asOf: (day) => `on ${day}`,
  day: 'Day (UTC)',
  hourHeading: 'Hour (UTC)',
  figures: 'Show the figures',
  empty: 'No activity in this period.',
  unfinished: '(so far)',
  notCounted: '–',
  notCountedYet: 'No statistics for this period.',
  noFigure: 'No data for this period.',
  noAnswer: 'No responses in this period.',

  otherTimes: 'Other periods',
  earlier: (days) => (days === 1 ? 'Previous day' : `Previous ${days} days`),
  later: (days) => (days === 1 ? 'Next day' : `Next ${days} days`),
  latestDays: (days) => `${days} days`,
  percent: (number) => `${number}%`,
  compared: (change, days) =>
    `${change === undefined ? 'the same as' : `${change} compared with`} the ${days === 1 ? 'day' : `${days} days`} before`,
  chooseDay: 'A day, hour by hour',
  show: 'Show',

  chart: ({ title, when, total, most, mostAt }) =>
    `${title}. ${when}: ${total} in total, peak of ${most} (${mostAt}).`,
  figure: ({ title, when, latest }) => `${title}. ${when}, latest figure: ${latest}.`,
  times: ({ title, when, median, p95 }) =>
    `${title}. ${when}: 50% of responses within ${median}, 95% within ${p95}.`,

  service: {
    signed_in: 'Sign-ins',
    signed_up: 'New accounts',
    sign_in_failed: 'Failed sign-ins',
    refused: 'Refused requests',
  },
  client: {
    signed_in: 'Sign-ins',
    refreshed: 'Token refreshes',
    refused: 'Refused requests from the application',
    refused_others: 'Refused unauthenticated requests',
    live_grants: 'Active sign-ins',
  },
  ownerHint:
    'A sign-in is counted when the application exchanges the code for tokens. Unauthenticated requests use the application’s Client ID without a valid credential. The secret may have expired, or someone else may have sent the requests.',
  why: 'See why requests were refused',

  busiest: 'Busiest applications',
  busiestOf: (days) => `Over the last ${days} days of this period.`,
  noBusiest: 'No application was used in this period.',
  application: 'Application',
  signIns: 'Sign-ins',
  refreshes: 'Refreshes',
  refusals: 'Refused',

  answerTimes: 'Response times',
  answerTimesHint:
    'In milliseconds, estimated from the histogram buckets of /metrics. Network time is not included.',
  routes: {
    token: 'Tokens (/oauth/token)',
    userinfo: 'Profile (/oauth/userinfo)',
    authorize: 'Sign-in requests (/oauth/authorize)',
  },
  mostWithin: (time) => `median · 95% within ${time}`,
  barsOfTimes: '95% of responses, in ms',

  preview: (days) => `Last ${days} days (UTC)`,
  all: 'All activity',
};
