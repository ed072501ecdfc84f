// French: sign-in through identity providers, and linked accounts.
import { withDe } from '../elision.ts';

export const linkedAccounts = {
  continueWith: (provider: string) => `Continuer avec ${provider}`,
  otherProviders: 'Autres services',
  or: 'ou',

  outcomes: {
    providerCanceled: 'Vous avez annulé la connexion avec l’autre service. Rien n’a changé.',
    notLinked: 'Ce compte n’est pas lié à votre compte ici. Confirmez avec celui qui l’est.',
    ownMfaRequired:
      'Un compte lié ne suffit pas pour confirmer : utilisez votre clé d’accès, ou votre mot de passe et un code.',
  },

  signUp: {
    title: (provider: string) => `Première connexion avec ${provider}`,
    lead: (provider: string) => `Votre compte ${provider} n’est encore lié à aucun compte ici.`,
    as: (provider: string) => `Compte ${provider}`,
    picture: 'Photo de profil',
    usePicture: (provider: string) => `Reprendre ma photo ${withDe(provider)}`,
    usePictureHint: 'Elle est copiée une seule fois, à la création du compte.',
    action: 'Créer mon compte',
    existing: 'J’ai déjà un compte',
    existingText: (provider: string) =>
      `Connectez-vous comme d’habitude. Nous vous proposerons ensuite de lier votre compte ${provider}.`,
    closed: (provider: string) =>
      `Les inscriptions sont fermées. Si vous avez déjà un compte ici, connectez-vous pour y lier votre compte ${provider}.`,
    notCreated:
      'Nous n’avons pas pu créer de compte avec cette adresse. Si vous avez déjà un compte ici, connectez-vous.',
    sentTitle: 'Consultez vos e‑mails',
    sent: (email: string) =>
      `Nous avons envoyé un e‑mail à ${email}. Ouvrez dans ce navigateur le lien qu’il contient : il est valable une heure.`,
    confirmTitle: 'Créez votre compte',
    confirmText: (provider: string) =>
      `Votre adresse e‑mail est confirmée. Le compte créé sera lié à votre compte ${provider}.`,
    otherBrowserTitle: 'Ouvrez ce lien dans le navigateur d’origine',
    otherBrowserText:
      'L’inscription a commencé dans un autre navigateur. Copiez le lien de l’e‑mail et ouvrez-le dans ce navigateur-là. Si vous ne vous êtes pas inscrit, fermez cette page : rien ne sera créé.',
  },

  title: 'Comptes liés',
  none: 'Aucun. Vous pouvez vous connecter ici avec le compte d’un autre service.',
  count: (count: number) => (count === 1 ? '1 compte' : `${count} comptes`),
  since: 'Lié le',
  neverUsed: 'jamais utilisé',
  disabled: 'Ce service ne permet plus de se connecter ici.',
  add: 'Lier un compte',
  addTitle: 'Lier un compte',
  addText: 'Vous pourrez vous connecter ici avec ce compte, sans saisir de mot de passe.',
  addNone: 'Vous avez lié un compte de chaque service proposé.',
  linkWith: (provider: string) => `Lier votre compte ${provider}`,
  linkTitle: (provider: string) => `Lier ce compte ${provider} ?`,
  linkText: 'Toute personne qui peut s’y connecter pourra se connecter à votre compte ici.',
  account: 'Votre compte',
  linkAction: 'Lier ce compte',
  takenTitle: 'Ce compte est déjà lié',
  taken: (provider: string) =>
    `Ce compte ${provider} est lié à un autre compte ici. Connectez-vous à cet autre compte pour le dissocier d’abord.`,
  removeTitle: (provider: string) => `Dissocier ce compte ${provider} ?`,
  removeText:
    'Il ne permettra plus de vous connecter ici, et vos autres sessions ouvertes avec un compte lié seront fermées. Ce compte lui-même n’est pas modifié.',
  removeAction: 'Dissocier',
  addFirstTitle: 'Ajoutez d’abord un moyen de connexion',
  addFirst: {
    password:
      'Sans mot de passe, votre compte doit garder deux autres moyens de connexion : choisissez d’abord un mot de passe.',
    passkey:
      'Sans mot de passe, votre compte doit garder deux autres moyens de connexion : choisissez d’abord un mot de passe, ou créez une clé d’accès.',
    codes:
      'Sans mot de passe, votre compte doit garder deux autres moyens de connexion : choisissez d’abord un mot de passe, ou créez des codes de secours.',
    passkeyAndCodes:
      'Sans mot de passe, votre compte doit garder deux autres moyens de connexion : choisissez d’abord un mot de passe, ou créez une clé d’accès puis des codes de secours.',
  },
  confirmWith: (provider: string) => `Confirmer avec ${provider}`,
  confirmFirst: 'Votre connexion date de plus de 15 minutes : confirmez d’abord que c’est bien vous.',
};
