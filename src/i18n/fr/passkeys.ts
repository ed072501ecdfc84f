// French: passkey prompts and errors.

export const passkeys = {
  signIn: 'Se connecter avec une clé d’accès',
  without: 'Confirmer autrement',
  use: 'Utiliser une clé d’accès',
  asked: 'Votre clé d’accès vous sera demandée.',
  askedInstead: 'Laissez ce champ vide pour confirmer avec une clé d’accès.',
  unnamed: 'Clé d’accès',
  canceled: 'Rien n’a été fait : vous avez annulé, ou le délai est passé. Vous pouvez recommencer.',
  known: 'Cet appareil a déjà une clé d’accès pour votre compte.',
  failed: 'Votre navigateur n’a pas pu utiliser de clé d’accès ici.',
  refused:
    'Cette clé d’accès n’appartient à aucun compte ici. Essayez-en une autre, ou connectez-vous avec votre mot de passe.',
  /** Shown instead of `refused` if the account is known. */
  refusedHere: 'Cette clé d’accès n’appartient pas à ce compte. Essayez-en une autre.',
  behind:
    'Cette clé d’accès a été refusée : il en existe peut-être une copie. Connectez-vous autrement, puis retirez-la de votre compte.',
  notMade:
    'La clé d’accès n’a pas été enregistrée : si votre appareil l’a tout de même conservée, elle ne fonctionnera pas. Recommencez.',
  offer: {
    title: 'Vous connecter ici sans mot de passe ?',
    text: 'Avec une clé d’accès, votre visage, votre empreinte ou le code de cet appareil suffira pour vous connecter. Ne le faites que sur un appareil qui vous appartient.',
    later: 'Plus tard',
    never: 'Ne plus proposer',
  },
  useNeedsScript: 'Une clé d’accès demande un navigateur récent où JavaScript est activé.',
  needsScript: 'Pour créer une clé d’accès, il faut un navigateur récent où JavaScript est activé.',
  nameWrong: (maximum: number) => `Donnez un nom à cette clé d’accès : ${maximum} caractères au plus.`,
};
