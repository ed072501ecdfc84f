// French: protocol settings of an application.

import { withDe } from '../elision.ts';

export const protocol = {
  title: (application: string) => `Réglages du protocole ${withDe(application)}`,
  logoutTitle: (application: string) => `Réglages de déconnexion ${withDe(application)}`,
  lead: 'Tout est facultatif : les valeurs par défaut conviennent à la plupart des bibliothèques.',
  algorithm: 'Signature de l’id_token',
  algorithmHint:
    'RS256 convient à toutes les bibliothèques. Ne le changez que si la vôtre exige un autre algorithme.',
  claims: 'Informations dans l’id_token',
  claimsHint: 'Pour les bibliothèques qui ne lisent que l’id_token.',
  claimsChoices: {
    auto: 'Selon le mode',
    always: 'Toujours',
    never: 'Jamais',
  },
  requests: 'Connexion et requêtes',
  secondFactor: 'Exiger un second facteur',
  secondFactorHint: 'Les personnes qui n’en ont pas le configurent à la connexion.',
  par: 'Exiger des requêtes poussées (RFC 9126)',
  parHint: 'Les requêtes passent par /oauth/par.',
  pkce: 'Exiger PKCE (RFC 7636)',
  pkceHint: 'Les requêtes contiennent un code_challenge.',
  device: 'Autoriser la connexion d’appareils avec un code',
  deviceHint: 'Pour les appareils sans navigateur (RFC 8628).',
  keys: 'Clés publiques (private_key_jwt)',
  keysHint: 'Un JWK Set en JSON : RS256, PS256, ES256 ou EdDSA.',
  logout: 'Déconnexion',
  postLogout: 'URL de retour après déconnexion',
  postLogoutHint: 'Une par ligne, comparées caractère par caractère (post_logout_redirect_uri).',
  backchannel: 'URL de déconnexion back-channel',
  backchannelHint: 'Reçoit un logout_token quand la session d’une personne est fermée ici.',
  deliveries: 'Dernières déconnexions back-channel',
  noDelivery: 'Aucune pour l’instant.',
  deliveryAt: 'Session fermée',
  attempts: 'Essais',
  outcome: 'Résultat',
  delivered: 'reçue',
  waiting: 'nouvel essai le',
  givenUp: 'échec',
  tile: 'Protocole',
};
