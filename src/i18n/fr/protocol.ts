// Owns the French texts of an application’s protocol settings, for those who know what they want of OpenID Connect.

import { de } from '../elision.ts';

export const protocol = {
  title: (application: string) => `Protocole ${de(application)}`,
  lead: 'Rien de tout cela n’est nécessaire pour commencer : chaque réglage correspond à une norme, et reste désactivé tant que vous n’en avez pas besoin.',
  tokens: 'Jetons',
  algorithm: 'Signature de l’id_token',
  algorithmHint: 'RS256 est pris en charge partout. Ne changez que si votre bibliothèque le demande.',
  claims: 'Informations dans l’id_token',
  claimsHint:
    'Le nom, l’adresse e-mail et tout ce que couvrent les portées accordées, pour les bibliothèques qui ne lisent que l’id_token. Chaque personne voit que l’application les a reçus. « Selon le mode » : oui en mode standard, non en mode natif.',
  claimsChoices: {
    auto: 'Selon le mode',
    always: 'Toujours',
    never: 'Jamais',
  },
  signIn: 'Connexion',
  secondFactor: 'Second facteur',
  secondFactorLabel: 'Exiger un second facteur',
  secondFactorHint:
    'Qui n’en a pas en crée un au passage. Les autorisations données sans second facteur ne sont plus renouvelées : ces personnes se reconnectent.',
  requests: 'Demandes',
  par: 'Demandes poussées (RFC 9126)',
  parLabel: 'N’accepter que les demandes poussées vers /oauth/par',
  pkce: 'PKCE (RFC 7636)',
  pkceLabel: 'N’accepter que les demandes avec un code_challenge',
  device: 'Appareils sans navigateur (RFC 8628)',
  deviceLabel: 'Autoriser la connexion d’appareils avec un code',
  authentication: 'Authentification',
  keys: 'Clés publiques (private_key_jwt)',
  keysHint:
    'Un JWK Set en JSON. L’application peut alors signer avec sa clé privée au lieu d’envoyer son secret : RS256, PS256, ES256 ou EdDSA.',
  logout: 'Déconnexion',
  postLogout: 'URL de retour après déconnexion',
  postLogoutHint: 'Une par ligne, comparées caractère par caractère (post_logout_redirect_uri).',
  backchannel: 'URL à prévenir des déconnexions (back-channel)',
  backchannelHint: 'Nous y envoyons un logout_token quand la session d’une personne est fermée ici.',
  deliveries: 'Dernières déconnexions annoncées',
  noDelivery: 'Aucune pour l’instant.',
  deliveryAt: 'Session fermée',
  attempts: 'Essais',
  outcome: 'Résultat',
  delivered: 'reçue',
  waiting: 'nouvel essai le',
  givenUp: 'abandonnée',
  /** Why an attempt failed; {detail} is a status, or what the connection failed with. */
  missed: {
    answered: 'L’application a répondu {detail} au lieu de 200.',
    refused: 'Aucun serveur n’écoute à cette adresse.',
    'not-https': 'L’adresse ne commence pas par https://.',
    'not-public':
      'Ce nom de domaine n’existe pas, ou son adresse n’est pas publique : ce service ne l’appelle pas.',
    timeout: 'Aucune réponse en cinq secondes.',
    'too-large': 'Les en-têtes de la réponse sont trop longs.',
    encoded: 'La réponse est compressée alors que personne ne l’a demandé.',
    failed: 'La connexion a échoué : {detail}',
    nobody: 'Il n’y avait plus personne à prévenir : adresse retirée, ou application suspendue.',
    ours: 'Ce service n’a pas pu faire l’envoi. Votre application n’est pas en cause.',
  },
  tile: 'Protocole',
};
