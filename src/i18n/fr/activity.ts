// French: activity charts and statistics.
import { withDe } from '../elision.ts';
import { formatRangeStart, french } from '../formats.ts';

export const activity = {
  title: 'Activité',
  titleOf: (application: string) => `Activité ${withDe(application)}`,
  lead: 'Les statistiques sont anonymes.',
  kept: (days: number) =>
    `Les jours et les heures sont ceux du temps universel (UTC). Les statistiques sont conservées ${days} jours.`,

  number: (count: number) => french.number(count),
  milliseconds: (value: number) => `${french.precise(value)} ms`,
  precise: (value: number) => french.precise(value),
  shortDay: (day: Date) => french.shortDay(day),
  weekday: (day: Date) => french.weekday(day),
  hour: (hour: number) => `${hour} h`,
  pair: (label: string, value: string) => `${label} : ${value}`,
  fromTo: (first: string, last: string) => `Du ${formatRangeStart(first, last)} au ${last}`,
  onDay: (day: string) => `Le ${day}, heure par heure`,

  inAll: 'en tout',
  asOf: (day: string) => `le ${day}`,
  day: 'Jour (UTC)',
  hourHeading: 'Heure (UTC)',
  figures: 'Voir les chiffres',
  empty: 'Aucune activité sur cette période.',
  unfinished: '(en cours)',
  notCounted: '–',
  notCountedYet: 'Aucune statistique pour cette période.',
  noFigure: 'Aucune donnée pour cette période.',
  noAnswer: 'Aucune réponse sur cette période.',

  otherTimes: 'Autres périodes',
  earlier: (days: number) => (days === 1 ? 'La veille' : `Les ${days} jours précédents`),
  later: (days: number) => (days === 1 ? 'Le lendemain' : `Les ${days} jours suivants`),
  latestDays: (days: number) => `${days} jours`,
  percent: (number: string) => `${number} %`,
  /** @param change a percentage, or undefined if there is no change */
  compared(change: string | undefined, days: number) {
    if (change === undefined)
      return days === 1 ? 'autant que la veille' : `autant que les ${days} jours précédents`;
    return `${change} par rapport ${days === 1 ? 'à la veille' : `aux ${days} jours précédents`}`;
  },
  chooseDay: 'Un jour, heure par heure',
  show: 'Afficher',

  chart: ({
    title,
    when,
    total,
    most,
    mostAt,
  }: Record<'title' | 'when' | 'total' | 'most' | 'mostAt', string>) =>
    `${title}. ${when} : ${total} en tout, ${most} au plus (${mostAt}).`,
  figure: ({ title, when, latest }: Record<'title' | 'when' | 'latest', string>) =>
    `${title}. ${when}, dernier chiffre : ${latest}.`,
  times: ({ title, when, median, p95 }: Record<'title' | 'when' | 'median' | 'p95', string>) =>
    `${title}. ${when} : la moitié des réponses en ${median} ou moins, 95 % en ${p95} ou moins.`,

  service: {
    signed_in: 'Connexions',
    signed_up: 'Nouveaux comptes',
    sign_in_failed: 'Échecs de connexion',
    refused: 'Requêtes refusées',
  },
  client: {
    signed_in: 'Connexions',
    refreshed: 'Renouvellements de jetons',
    refused: 'Requêtes de l’application refusées',
    refused_others: 'Requêtes non authentifiées refusées',
    live_grants: 'Connexions actives',
  },
  ownerHint:
    'Une connexion est comptée quand l’application échange le code contre ses jetons. Une requête non authentifiée utilise le Client ID de l’application sans secret ni clé valable : son secret a peut-être expiré, ou quelqu’un d’autre l’a envoyée.',
  why: 'Voir les raisons des refus',

  busiest: 'Les applications les plus actives',
  busiestOf: (days: number) => `Sur les ${days} derniers jours de cette période.`,
  noBusiest: 'Aucune application n’a été utilisée sur cette période.',
  application: 'Application',
  signIns: 'Connexions',
  refreshes: 'Renouvellements',
  refusals: 'Refus',

  answerTimes: 'Temps de réponse',
  answerTimesHint: 'En millisecondes, estimés à partir des histogrammes de /metrics, hors temps de réseau.',
  routes: {
    token: 'Jetons (/oauth/token)',
    userinfo: 'Profil (/oauth/userinfo)',
    authorize: 'Requêtes de connexion (/oauth/authorize)',
  },
  mostWithin: (time: string) => `médiane · 95 % en ${time} ou moins`,
  barsOfTimes: '95 % des réponses, en ms',

  preview: (days: number) => `Les ${days} derniers jours (UTC)`,
  all: 'Toute l’activité',
};
