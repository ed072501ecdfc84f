// Owns the French texts of: access to APIs on an application's own account, asked for, granted and ended.
import { de } from '../elision.ts';

export const serviceAccess = {
  waiting: 'en attente',
  askedOn: 'Demandé le',
  grantedOn: 'Accordé le',
  client: {
    part: 'API',
    title: (application: string) => `API ${de(application)}`,
    lead: 'Une application peut utiliser une API pour son propre compte, sans qu’une personne soit connectée (client_credentials), si le propriétaire de l’API l’accorde. Vous pouvez l’un comme l’autre révoquer cet accès à tout moment.',
    none: 'Cette application n’a accès à aucune API pour son propre compte.',
    ask: 'Demander un accès',
    identifierHint: 'L’URL que donne la documentation de l’API, au caractère près.',
    scopesHint: 'Séparées par des espaces.',
    action: 'Demander',
    end: 'Révoquer l’accès',
    cancel: 'Annuler la demande',
    done: {
      asked: 'Demande envoyée. Le propriétaire de l’API la trouvera dans sa console.',
      granted: 'Accès accordé : cette API est à vous.',
      ended: 'C’est fait : cette application n’a plus d’accès à cette API pour son propre compte.',
    },
    faults: {
      identifierMissing: 'Indiquez l’identifiant de l’API.',
      scopesMissing: 'Indiquez au moins une portée.',
      unknown: 'Aucune API ouverte à cette application n’a cet identifiant.',
      scopeUnknown: 'L’API n’a pas toutes ces portées.',
      exists: 'Cette application a déjà accès à cette API, ou l’a déjà demandé.',
      full: 'Trop de demandes attendent déjà la réponse du propriétaire de cette API.',
      tooOften: 'Vous avez fait beaucoup de demandes dans l’heure. Attendez un moment, puis réessayez.',
    },
  },
  api: {
    part: 'Demandes',
    title: (api: string) => `Demandes d’accès à ${api}`,
    lead: 'Une application peut demander à utiliser votre API pour son propre compte, sans qu’une personne soit connectée (client_credentials). Rien ne lui est donné tant que vous n’avez pas répondu.',
    none: 'Aucune demande pour l’instant.',
    noneAdvice:
      'Une demande se fait dans la console, depuis la page « API » d’une application. Elle s’affichera ici.',
    owner: 'Demandé par le compte',
    answer: 'Répondre',
    end: 'Révoquer l’accès',
    decideTitle: (application: string) => `Accorder un accès à ${application} ?`,
    decideText: 'L’application agira pour son propre compte, sans demander l’autorisation de personne.',
    choose: 'Portées à accorder',
    grant: 'Accorder',
    refuse: 'Refuser',
    later: 'Plus tard',
    nothingChosen: 'Cochez au moins une portée, ou refusez.',
    changed: 'La demande a changé entre-temps. Vérifiez, puis répondez de nouveau.',
    done: {
      granted: 'Accès accordé.',
      ended: 'C’est fait : cette application n’a plus d’accès pour son propre compte.',
    },
  },
  ending: {
    title: (application: string, api: string) => `Révoquer l’accès ${de(application)} à ${api} ?`,
    text: 'Les jetons que l’application a obtenus pour son propre compte seront révoqués immédiatement. Ce que des personnes lui ont autorisé ne changera pas.',
  },
};
