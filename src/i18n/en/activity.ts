// Owns the English texts of: activity, the counts that operators and owners see by day and by hour.
import { dayBefore, english } from '../formats.ts';
import type { activity as reference } from '../fr/activity.ts';

export const activity: typeof reference = {
  title: 'Activity',
  titleOf: (application) => `Activity for ${application}`,
  leadOperators: 'What happens on this service. These are numbers only: none of them says who.',
  leadOwner: 'What this application does here. These are numbers only: none of them says who.',
  kept: (days) => `Days and hours are in universal time (UTC). The figures are kept for ${days} days.`,

  number: (count) => english.number(count),
  milliseconds: (value) => `${english.precise(value)} ms`,
  precise: (value) => english.precise(value),
  shortDay: (day) => english.shortDay(day),
  weekday: (day) => english.weekday(day),
  hour: (hour) => `${String(hour).padStart(2, '0')}:00`,
  pair: (label, value) => `${label}: ${value}`,
  fromTo: (first, last) => `${dayBefore(first, last)} to ${last}`,
  onDay: (day) => `${day}, hour by hour`,

  inAll: 'in total',
  asOf: (day) => `on ${day}`,
  day: 'Day (UTC)',
  hourHeading: 'Hour (UTC)',
  figures: 'Show the figures',
  empty: 'Nothing in this period.',
  unfinished: '(so far)',
  notCounted: '–',
  notCountedYet: 'Nothing was being counted yet.',
  noFigure: 'None in this period, or not counted yet.',
  noAnswer: 'No answers in this period.',

  otherTimes: 'Other periods',
  ways: {
    day: { earlier: 'Previous 4 weeks', later: 'Next 4 weeks' },
    hour: { earlier: 'Previous day', later: 'Next day' },
  },
  latestDays: 'Last 4 weeks',
  chooseDay: 'A day, hour by hour',
  show: 'Show',

  chart: ({ title, when, total, most, mostAt }) =>
    `${title}. ${when}: ${total} in total, ${most} at most (${mostAt}).`,
  figure: ({ title, when, latest }) => `${title}. ${when}, latest figure: ${latest}.`,
  times: ({ title, when, half, most }) =>
    `${title}. ${when}: half of the answers within ${half}, 95% within ${most}.`,

  service: {
    signed_in: 'Sign-ins',
    signed_up: 'New accounts',
    sign_in_failed: 'Failed sign-ins',
    refused: 'Refused requests',
  },
  client: {
    signed_in: 'Sign-ins',
    renewed: 'Token renewals',
    refused: 'Refused requests from the application',
    refused_others: 'Refused requests made in its name',
    live_grants: 'Active sign-ins',
  },
  ownerHint:
    'A sign-in counts when the application exchanges the code for its tokens. Requests “made in its name” did not prove that they came from it: its secret may have expired, but anyone at all can send them.',
  why: 'See why requests were refused',

  busiest: 'Busiest applications',
  busiestOf: (days) => `Over the last ${days} days of this period.`,
  noBusiest: 'No application was used in this period.',
  application: 'Application',
  signIns: 'Sign-ins',
  renewals: 'Renewals',
  refusals: 'Refusals',

  answerTimes: 'Response times',
  answerTimesHint:
    'In milliseconds, estimated from the buckets that /metrics counts. Time on the network is not included.',
  routes: {
    token: 'Tokens (/oauth/token)',
    userinfo: 'Profile (/oauth/userinfo)',
    authorize: 'Sign-in requests (/oauth/authorize)',
  },
  mostWithin: (time) => `for half of them, ${time} for 95%`,

  preview: (days) => `Last ${days} days (UTC)`,
  all: 'All activity',
};
