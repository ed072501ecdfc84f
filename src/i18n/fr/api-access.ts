// French: access and diagnostics pages of an API.
import type { DiagnosticKind } from '../../oauth/refusal-reason.ts';
import { withDe } from '../elision.ts';

type Explanation = { what: string; next: string };

export const apiAccess = {
  access: {
    part: 'Accès',
    users: 'Applications avec accès',
    title: (api: string) => `Accès à ${api}`,
    lead: 'Les applications et les agents qui peuvent obtenir des jetons pour votre API.',
    hint: 'Du plus au moins utilisé. Si vous bloquez l’accès d’une application, ses jetons ne fonctionnent plus avec cette API.',
    capped: (limit: string) =>
      `D’après ${limit} autorisations : une application qui en a très peu peut manquer.`,
    none: 'Aucune application n’a accès à cette API pour l’instant.',
    noneAdvice: 'Les applications s’affichent ici dès leur premier jeton.',
    applications: 'Applications',
    agents: 'Agents',
    agentsText: 'Un agent est une application qui n’est pas enregistrée ici. Seule son URL l’identifie.',
    excluded: 'Accès bloqués',
    grants: 'Autorisations en cours',
    /** `people` is null if all grants are from one person. */
    counted: (grants: string, people: string | null) =>
      `${grants}, pour ${people === null ? 'une personne' : `${people} personnes`}`,
    since: 'Depuis le',
    lastAt: 'Dernier jeton',
    blocked: 'accès bloqué par vos réglages',
    hasServiceAccess: 'Pour son propre compte',
    granted: 'accordé',
    excludedOn: 'Accès bloqué le',
    block: 'Bloquer l’accès',
    restore: 'Rétablir l’accès',
    done: {
      block: 'L’accès est maintenant bloqué.',
      restore: 'L’accès est rétabli. De nouveaux jetons peuvent être demandés pour cette API.',
    } as Record<string, string>,
  },
  block: {
    title: (name: string) => `Bloquer l’accès ${withDe(name)} ?`,
    text: (lifetime: string) => [
      'Ses jetons pour cette API deviennent immédiatement inactifs et ne peuvent plus être renouvelés. Aucun nouveau jeton ne peut lui être délivré, même avec l’autorisation d’une personne.',
      `Si votre API vérifie les jetons localement, elle accepte ceux qui existent jusqu’à leur expiration : ${lifetime} au plus.`,
      'Les autres autorisations ne changent pas. Les personnes ne sont pas prévenues.',
    ],
    action: 'Bloquer l’accès',
  },
  restore: {
    title: (name: string) => `Rétablir l’accès ${withDe(name)} ?`,
    text: 'De nouveaux jetons peuvent lui être délivrés pour cette API. Ses anciens jetons restent inactifs : chaque personne doit de nouveau donner son autorisation.',
    blocked:
      'Cette action lève votre blocage, mais les réglages de l’API ne lui permettent pas d’obtenir de jetons. Pour l’autoriser, modifiez ce réglage :',
    serviceAccess: 'Son accès pour son propre compte est rétabli.',
    action: 'Rétablir l’accès',
  },
  diagnostics: {
    adminNotice:
      'Cette API appartient à une autre personne. Vous voyez cette page en tant qu’administrateur.',
    none: 'Aucune requête refusée.',
    noneAdvice: 'Si une requête échoue, la raison exacte s’affiche ici en quelques secondes.',
    notFound: (incident: string) =>
      `Aucune requête conservée pour cette API ne porte le code ${incident}. Vérifiez-le ; la requête a aussi pu être remplacée par de plus récentes.`,
    senders: { api: 'Votre API', holder: 'Ancien secret' },
    fromApi: 'de l’API',
    fromHolder: 'avec un ancien secret',
    application: 'Application',
    agent: 'Agent',
    about: {
      resource_not_open_to_client: {
        what: 'Une application que votre API n’autorise pas a demandé un jeton.',
        next: 'Pour l’autoriser, modifiez « Qui peut demander des jetons ? » dans les réglages de l’API.',
      },
      resource_blocks_client: {
        what: 'Une application dont vous avez bloqué l’accès a demandé un jeton pour votre API.',
        next: 'Vous pouvez rétablir son accès.',
      },
      resource_suspended: {
        what: 'Une application a demandé un jeton pour votre API, qui est suspendue.',
        next: 'Pour faire lever la suspension, contactez votre administrateur.',
      },
      resource_beyond_grant: {
        what: 'Une application a demandé un jeton pour votre API, mais la personne ne lui en a pas donné l’accès.',
        next: 'Si la personne n’a coché aucune de vos portées, il n’y a rien à faire. Sinon, le développeur de l’application doit indiquer votre API (resource) dans la requête d’autorisation.',
      },
      scope_beyond_grant: {
        what: 'Une application a demandé une portée que la personne ne lui a pas accordée : {scope}',
        next: 'Le développeur de l’application doit la demander dans une nouvelle requête d’autorisation.',
      },
      client_credentials_disabled: {
        what: 'Une application a demandé un jeton pour son propre compte, mais vous ne lui avez pas accordé d’accès.',
        next: 'Son propriétaire doit demander l’accès. La demande s’affiche alors sur la page « Demandes » de cette API.',
      },
      scope_beyond_api_grant: {
        what: 'Une application a demandé pour son propre compte des portées que vous ne lui avez pas accordées : {sent}',
        next: 'Si elle en a besoin, son propriétaire doit en faire la demande.',
      },
      scope_not_of_api: {
        what: 'Aucune des portées demandées n’est accessible à l’application pour votre API : {sent}',
        next: 'Vérifiez que votre documentation et les métadonnées de votre API (scopes_supported) indiquent les bonnes portées et, pour un agent, qu’elles sont ouvertes aux agents.',
      },
    } satisfies Partial<Record<DiagnosticKind, Explanation>> as Partial<Record<string, Explanation>>,
  },
};
