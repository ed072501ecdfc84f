// Owns the English texts of: account.credentials, the mail address and the password of an account.
import type { credentials as reference } from '../fr/credentials.ts';

export const credentials: typeof reference = {
  noMail: {
    title: 'This service sends no mail',
    text: 'No mail server is configured here. Ask those who run the service for help.',
  },
  code: 'Code received by email',
  codeHint: 'Six digits, in the latest mail we sent.',
  codeAction: 'Check the code',
  codeMissing: 'Enter the six-digit code from the mail.',
  codeWrong: 'This is not the code of the latest mail. Check it and try again.',
  codeDead: 'This code can no longer be used: too many tries, or too much time. Ask for a new mail.',
  tooManyMails: 'Too many mails were asked for. Wait an hour before asking for another.',
  verified: 'verified',
  notVerified: 'not verified yet',

  email: {
    title: 'Email address',
    present: 'Present address',
    verify: 'Verify this address',
    changeTitle: 'Change the address',
    newEmail: 'New email address',
    newEmailHint: 'We will send a link and a code there. Nothing changes before you have used them.',
    action: 'Send the confirmation mail',
    waitingTitle: 'Change on its way',
    waiting: (email: string) => `A mail has gone to ${email}. Open its link, or enter its code here.`,
    cancel: 'Give up this change',
    same: 'This is your address already.',
    taken: 'Another account uses this address already. Choose another one.',
    done: {
      sent: 'The mail is on its way. Look among the spam, too.',
      changed: 'Your new address is saved and verified.',
      cancelled: 'The change is given up. Your address stays as it is.',
    },
  },

  verify: {
    title: 'Verify your address',
    text: (email: string) =>
      `A verified address proves to applications that ${email} is yours, and lets you find your way back into your account.`,
    waiting: 'Open the link in the mail that we have sent you, or enter its code here.',
    send: 'Send a mail',
    sendAgain: 'Send a new mail',
    already: (email: string) => `Your address ${email} is verified.`,
    back: 'Back to the email address',
    done: {
      sent: 'The mail is on its way. Look among the spam, too.',
      verified: 'Thank you, your address is verified.',
    },
  },

  password: {
    title: 'Password',
    text: 'Changing the password closes your other sessions and ends the access of all applications. You stay signed in here.',
    newPassword: 'New password',
    action: 'Change the password',
    forgot: 'Forgotten your password?',
    same: 'This is your present password. Choose another one.',
    changedMeanwhile: 'Your password was changed meanwhile, elsewhere. Start again with the new one.',
    done: {
      changed: 'Your password is changed. Your other sessions are closed.',
      reset: 'Your new password is saved, and you are signed in. All other sessions are closed.',
    },
  },

  forgot: {
    link: 'Forgotten your password?',
    title: 'Forgotten password',
    text: 'Enter the address of your account. We will send a link there to choose a new password.',
    action: 'Send the link',
    sentTitle: 'Check your mail',
    sent: 'If there is an account with this address, a link has just been sent to it. It is good for 30 minutes.',
    sentAdvice: 'Nothing arrives? Look among the spam, check the address, or try again in a while.',
    again: 'Enter another address',
    signIn: 'Back to signing in',
  },

  signInByMail: {
    title: 'Check your mail',
    text: (email: string) =>
      `Many wrong passwords have been tried for ${email}, and we do not recognise this browser. If the password you have just entered is right, we have sent a mail to that address: open its link in this browser, or enter its code here.`,
    advice:
      'Nothing there? Check your spam folder, then start again: the password may have been mistyped. A browser that you have used before needs no mail.',
    action: 'Sign in',
    codeWrong:
      'This is not the code of the latest mail, or it can no longer be used. Check it, or start again.',
    again: 'Start again',
    linkTitle: 'Confirm your sign-in',
    linkText: (email: string) => `This browser will be signed in to the account ${email}.`,
    linkAction: 'Sign in',
    elsewhereTitle: 'Open this link in the other browser',
    elsewhere:
      'It only works in the browser where the password was given. Open it there, or enter the code of the mail there.',
  },

  invitation: {
    title: (service: string) => `Welcome to ${service}`,
    text: (service: string) =>
      `An account is waiting for you. Choose its password to sign in to ${service} and to the applications that use it.`,
    action: 'Open my account',
    changeLater: 'You can change your name, address and language afterwards.',
  },
  reset: {
    title: 'Choose a new password',
    text: (email: string) =>
      `For the account ${email}. All its sessions and the access of all applications will end, then you will be signed in here.`,
    action: 'Save and sign in',
  },

  confirm: {
    verifyTitle: 'Confirm your address',
    verifyText: (email: string, name: string) =>
      `Confirm that ${email} is the address of the account of ${name}.`,
    verifyAction: 'Yes, this is my address',
    changeTitle: 'Confirm your new address',
    changeText: (email: string, name: string) =>
      `The account of ${name} will move to the address ${email}. It opens with that one from then on.`,
    changeAction: 'Use this address',
    advice: 'If you have not asked for anything, close this page: nothing will change.',
    takenTitle: 'This address is taken',
    taken: 'Another account uses it by now. Nothing has changed.',
    doneTitle: 'Confirmed',
    done: {
      verified: 'Your address is verified. You can close this page.',
      changed: 'Your new address is saved and verified. You can close this page.',
    },
    toAccount: 'Go to your account',
  },

  notMe: {
    title: 'This was not you?',
    session:
      'We will close the session that the mail is about and those opened since, and end all they led to: codes, access of applications.',
    everything:
      'We will close all sessions of your account, end the access of all applications, and make the present password worthless. You will then choose a new one by mail.',
    undoes: 'What was changed there and will be undone',
    undone: 'What was changed there and has been undone',
    kinds: {
      settings: 'its settings and callback URLs',
      protocol: 'its keys, addresses and other protocol settings',
      logo: 'its logo',
      secret: 'a secret that was created',
      consent: 'the agreement that it was given',
      registered: 'its registration: it is suspended',
      received: 'its transfer to your account: it is suspended',
      given: 'its transfer to another account: it is suspended there',
      released: 'the lifting of its suspension: it is suspended again',
    },
    heldUntil:
      'A suspended application can do nothing until you have looked at it: in your list of applications, delete it or lift the suspension. One that was transferred stays suspended until those who run the service have decided whose it is.',
    restore: (email: string) => `Your account will have the address ${email} again.`,
    advice: 'If it was you, close this page: nothing will change.',
    action: 'This was not me, stop it all',
    doneTitle: 'It is stopped',
    done: {
      session:
        'The session is closed, and all it led to has ended. Whoever opened it may know your password: choose a new one now.',
      everything:
        'All sessions are closed, and the former password is worthless. Choose a new one to get back into your account.',
    },
    reset: 'Choose a new password',
    taken:
      'Another account uses your former address by now. Nothing has changed: turn to those who run the service.',
  },

  tooManySignUps: 'Too many accounts were created from your network. Wait an hour, then try again.',
};
