// Owns the French texts of: activity, the counts that operators and owners see by day and by hour.
import { de } from '../elision.ts';
import { dayBefore, french } from '../formats.ts';

export const activity = {
  title: 'Activité',
  titleOf: (application: string) => `Activité ${de(application)}`,
  leadOperators:
    'Ce qui se passe sur ce service. Ce ne sont que des nombres : rien n’y désigne une personne.',
  leadOwner: 'Ce que fait cette application ici. Ce ne sont que des nombres : rien n’y désigne une personne.',
  kept: (days: number) =>
    `Les jours et les heures sont ceux du temps universel (UTC). Les chiffres sont conservés ${days} jours.`,

  number: (count: number) => french.number(count),
  milliseconds: (value: number) => `${french.precise(value)} ms`,
  precise: (value: number) => french.precise(value),
  shortDay: (day: Date) => french.shortDay(day),
  weekday: (day: Date) => french.weekday(day),
  hour: (hour: number) => `${hour} h`,
  pair: (label: string, value: string) => `${label} : ${value}`,
  fromTo: (first: string, last: string) => `Du ${dayBefore(first, last)} au ${last}`,
  onDay: (day: string) => `Le ${day}, heure par heure`,

  inAll: 'en tout',
  asOf: (day: string) => `le ${day}`,
  day: 'Jour (UTC)',
  hourHeading: 'Heure (UTC)',
  figures: 'Voir les chiffres',
  empty: 'Rien sur cette période.',
  unfinished: '(en cours)',
  notCounted: '–',
  notCountedYet: 'Rien n’était encore compté.',
  noFigure: 'Aucune sur cette période, ou pas encore comptées.',
  noAnswer: 'Aucune réponse sur cette période.',

  otherTimes: 'Autres périodes',
  ways: {
    day: { earlier: 'Les 4 semaines précédentes', later: 'Les 4 semaines suivantes' },
    hour: { earlier: 'La veille', later: 'Le lendemain' },
  },
  latestDays: 'Les 4 dernières semaines',
  chooseDay: 'Un jour, heure par heure',
  show: 'Afficher',

  /** Charts in words, for those who cannot see them. */
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
  times: ({ title, when, half, most }: Record<'title' | 'when' | 'half' | 'most', string>) =>
    `${title}. ${when} : la moitié des réponses en ${half} ou moins, 95 % en ${most} ou moins.`,

  service: {
    signed_in: 'Connexions',
    signed_up: 'Nouveaux comptes',
    sign_in_failed: 'Échecs de connexion',
    refused: 'Demandes refusées',
  },
  client: {
    signed_in: 'Connexions',
    renewed: 'Renouvellements de jetons',
    refused: 'Demandes de l’application refusées',
    refused_others: 'Demandes refusées, faites en son nom',
    live_grants: 'Connexions actives',
  },
  ownerHint:
    'Une connexion est comptée quand l’application échange le code contre ses jetons. Une demande faite « en son nom » vient de quelqu’un qui n’a pas prouvé être l’application : peut-être avec un secret périmé, mais ce peut être n’importe qui.',
  why: 'Voir les raisons des refus',

  busiest: 'Les applications les plus actives',
  busiestOf: (days: number) => `Sur les ${days} derniers jours de cette période.`,
  noBusiest: 'Aucune application n’a servi sur cette période.',
  application: 'Application',
  signIns: 'Connexions',
  renewals: 'Renouvellements',
  refusals: 'Refus',

  answerTimes: 'Temps de réponse',
  answerTimesHint:
    'En millisecondes, estimés à partir des intervalles que compte /metrics. Le temps passé sur le réseau n’en fait pas partie.',
  routes: {
    token: 'Jetons (/oauth/token)',
    userinfo: 'Profil (/oauth/userinfo)',
    authorize: 'Demandes de connexion (/oauth/authorize)',
  },
  mostWithin: (time: string) => `pour la moitié, ${time} pour 95 %`,

  preview: (days: number) => `Les ${days} derniers jours (UTC)`,
  all: 'Toute l’activité',
};
