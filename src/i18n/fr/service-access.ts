// French: access of applications to APIs on their own behalf (client_credentials).
import { withDe } from '../elision.ts';

export const serviceAccess = {
  waiting: 'en attente',
  askedOn: 'Demandé le',
  grantedOn: 'Accordé le',
  client: {
    part: 'API',
    title: (application: string) => `API ${withDe(application)}`,
    lead: 'Les API que cette application peut appeler pour son propre compte, sans personne connectée (client_credentials).',
    none: 'Cette application n’a accès à aucune API pour son propre compte.',
    getToken: 'Obtenir un jeton',
    ask: 'Demander un accès',
    identifierHint: 'L’URL indiquée dans la documentation de l’API, au caractère près.',
    scopesHint: 'Séparées par des espaces.',
    action: 'Demander',
    end: 'Révoquer l’accès',
    cancel: 'Annuler la demande',
    done: {
      asked: 'Demande envoyée. Le propriétaire de l’API la trouvera dans sa console.',
      granted: 'Accès accordé, car cette API vous appartient.',
      ended: 'Cette application n’a plus accès à cette API pour son propre compte.',
    },
    errors: {
      identifierMissing: 'Saisissez l’identifiant de l’API.',
      scopesMissing: 'Saisissez au moins une portée.',
      unknown: 'Aucune API ouverte à cette application n’a cet identifiant.',
      scopeUnknown: 'L’API n’a pas toutes ces portées.',
      exists: 'Cette application a déjà accès à cette API, ou l’a déjà demandé.',
      full: 'Trop de demandes sont déjà en attente auprès du propriétaire de cette API.',
      tooOften: 'Trop de demandes au cours de la dernière heure. Attendez un moment, puis réessayez.',
    },
  },
  api: {
    part: 'Demandes',
    title: (api: string) => `Demandes d’accès à ${api}`,
    lead: 'Les applications qui veulent appeler cette API pour leur propre compte, sans personne connectée (client_credentials).',
    scope: 'Les autorisations données par les utilisateurs restent, même si vous révoquez cet accès.',
    none: 'Aucune demande pour l’instant.',
    noneAdvice:
      'Les développeurs demandent un accès depuis la page « API » de leur application. Leurs demandes s’affichent ici.',
    owner: 'Demandé par',
    answer: 'Examiner',
    end: 'Révoquer l’accès',
    decideTitle: (application: string) => `Autoriser ${application} à appeler votre API ?`,
    decideText: 'L’application agira pour son propre compte, sans demander l’autorisation de personne.',
    choose: 'Portées à accorder',
    grant: 'Autoriser',
    refuse: 'Refuser',
    later: 'Plus tard',
    nothingChosen: 'Cochez au moins une portée, ou refusez.',
    changed: 'La demande a changé entre-temps. Examinez-la de nouveau.',
    done: {
      granted: 'Accès accordé.',
      ended: 'Cette application n’a plus accès pour son propre compte.',
    },
  },
  ending: {
    title: (application: string, api: string) => `Révoquer l’accès ${withDe(application)} à ${api} ?`,
    text: 'Les jetons que l’application a obtenus pour son propre compte seront révoqués immédiatement. Les autorisations données par des personnes ne changeront pas.',
  },
};
