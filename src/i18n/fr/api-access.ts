// Owns the French texts of: who has access to an API, and what was refused over it.
import type { NotedKind } from '../../oauth/reason.ts';
import { de } from '../elision.ts';

/** What happened, and what to do next. */
type Words = { what: string; next: string };

export const apiAccess = {
  access: {
    part: 'Accès',
    title: (api: string) => `Accès à ${api}`,
    lead: 'Les applications et les agents qui obtiennent des jetons pour votre API : des personnes les y ont autorisés, ou vous leur avez accordé un accès pour leur propre compte.',
    hint: 'Les plus utilisés d’abord.',
    capped: (limit: string) =>
      `Seules ${limit} autorisations sont comptées ici : une application qui en a très peu peut manquer.`,
    none: 'Aucune application n’a accès à cette API pour l’instant.',
    noneAdvice: 'Celles qui obtiendront un jeton pour elle s’afficheront ici.',
    applications: 'Applications',
    agents: 'Agents',
    agentsText:
      'Un agent est une application que personne n’a enregistrée ici : on ne la connaît que par son adresse.',
    excluded: 'Accès coupés',
    grants: 'Autorisations en cours',
    /** `people` is null where all are of one person. */
    counted: (grants: string, people: string | null) =>
      `${grants}, pour ${people === null ? 'une personne' : `${people} personnes`}`,
    since: 'Depuis le',
    lastAt: 'Dernier jeton',
    settings: 'Vos réglages',
    notAdmitted: 'ne l’admettent pas : ses jetons sont inactifs',
    onItsOwn: 'Pour son propre compte',
    granted: 'accordé',
    excludedOn: 'Accès coupé le',
    cut: 'Couper l’accès',
    readmit: 'Laisser entrer à nouveau',
    done: {
      cut: 'L’accès est maintenant coupé.',
      readmit: 'L’accès est rétabli : de nouveaux jetons peuvent être demandés pour cette API.',
    } as Record<string, string>,
  },
  cut: {
    title: (name: string) => `Couper l’accès ${de(name)} ?`,
    text: (lifetime: string) => [
      'Ses jetons pour cette API deviendront aussitôt inactifs et ne pourront plus être renouvelés. Aucun autre ne lui sera donné, même si une personne l’autorise.',
      `Si votre API vérifie les jetons elle-même, sans nous interroger, elle accepte ceux qui existent jusqu’à leur expiration : ${lifetime} au plus.`,
      'Ce que les personnes ont autorisé par ailleurs ne change pas. Elles ne sont pas prévenues.',
    ],
    action: 'Couper l’accès',
  },
  readmit: {
    title: (name: string) => `Laisser ${name} entrer à nouveau ?`,
    text: (_lifetime: string) => [
      'De nouveaux jetons pour cette API lui seront donnés, si vos réglages l’admettent.',
      'Ses anciens jetons restent inactifs : chaque personne doit de nouveau donner son autorisation.',
      'Si vous lui aviez accordé un accès pour son propre compte, il vaut de nouveau.',
    ],
    action: 'Laisser entrer à nouveau',
  },
  diagnostics: {
    lead: 'Les demandes que ce service a refusées : celles de votre API, et celles des applications et agents qui voulaient des jetons pour elle. Aucun secret ni jeton n’est gardé ici.',
    operatorNotice:
      'Cette API appartient à une autre personne. Vous voyez cette page en tant que responsable de ce service.',
    refusedHint: (quota: number) =>
      `Les ${quota} dernières de l’API sont conservées, et les ${quota} dernières de chaque application. Les demandes identiques sont regroupées.`,
    none: 'Rien n’a été refusé : c’est bon signe.',
    noneAdvice: 'La raison exacte d’un échec apparaît ici en quelques secondes.',
    notFound: (incident: string) =>
      `Aucune demande conservée pour cette API ne porte le code ${incident}. Vérifiez-le ; la demande a aussi pu être remplacée par de plus récentes.`,
    fromApi: 'de l’API',
    fromHolder: 'avec un ancien secret',
    application: 'Application',
    agent: 'Agent',
    /** What an application was told over the API, as it concerns the API’s owner. */
    about: {
      resource_closed: {
        what: 'Une application que votre API n’admet pas a demandé un jeton pour elle.',
        next: 'Si elle doit pouvoir en obtenir, changez « Qui peut demander des jetons ? » dans les réglages de l’API.',
      },
      resource_excluded: {
        what: 'Une application dont vous avez coupé l’accès a demandé un jeton pour votre API.',
        next: 'Si vous le souhaitez, laissez-la entrer à nouveau sur la page des accès. Sinon, il n’y a rien à faire.',
      },
      resource_suspended: {
        what: 'Une application a demandé un jeton pour votre API, qui est suspendue.',
        next: 'Adressez-vous aux responsables de ce service pour faire lever la suspension.',
      },
      resource_beyond_grant: {
        what: 'Une application a demandé un jeton pour votre API, alors que la personne ne lui en a pas donné l’accès.',
        next: 'Si la personne n’a coché aucune de vos portées, il n’y a rien à faire. Sinon, son développeur doit nommer votre API (resource) dès la demande d’autorisation.',
      },
      scope_beyond_grant: {
        what: 'Une application a demandé une portée que la personne ne lui a pas accordée : {scope}',
        next: 'Son développeur doit la demander dans une nouvelle demande d’autorisation.',
      },
      service_off: {
        what: 'Une application a demandé pour son propre compte un jeton que vous ne lui avez pas accordé.',
        next: 'C’est à elle de vous en faire la demande : vous la trouverez alors parmi les demandes à cette API.',
      },
      scope_beyond_service: {
        what: 'Une application a demandé pour son propre compte plus que vous ne lui avez accordé : {sent}',
        next: 'Si elle en a besoin, c’est à elle de vous en faire la demande.',
      },
      scope_not_of_api: {
        what: 'La demande ne nommait aucune portée de votre API que l’application puisse obtenir : {sent}',
        next: 'Vérifiez que votre documentation et les métadonnées de votre API (scopes_supported) nomment les bonnes portées et, pour un agent, qu’elles sont ouvertes aux agents.',
      },
    } satisfies Partial<Record<NotedKind, Words>> as Partial<Record<string, Words>>,
  },
};
