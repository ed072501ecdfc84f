// Owns the English texts that every page has or strangers see: entering, consent, labels and faults of the fields that several
// forms have, errors. The shape comes from the French dictionary.

import { account } from './en/account.ts';
import { applications } from './en/applications.ts';
import { device } from './en/device.ts';
import { diagnostics } from './en/diagnostics.ts';
import { integrate } from './en/integrate.ts';
import { mail } from './en/mail.ts';
import { operations } from './en/operations.ts';
import { protocol } from './en/protocol.ts';
import { english } from './formats.ts';
import type { Messages } from './fr.ts';

function duration(seconds: number): string {
  const whole = Math.max(1, Math.ceil(seconds));
  if (whole === 1) return 'one second';
  if (whole <= 120) return `${whole} seconds`;
  return `${Math.ceil(whole / 60)} minutes`;
}

const date = (day: Date): string => english.day(day).replace(' ', ' ');

export const en: Messages = {
  date,
  instant: (at) => `${date(at)} at ${english.time(at)} UTC`,
  exact: (at) => `${date(at)} at ${at.toISOString().slice(11, 19)} UTC`,

  layout: {
    skipToContent: 'Skip to content',
    languages: 'Language',
    languageNames: { fr: 'Français', en: 'English' },
    titleWithErrors: (title) => `Error: ${title}`,
    sections: 'Sections',
    account: 'My account',
    applications: 'Applications',
    operations: 'Operations',
  },

  house: {
    links: 'About this service',
    help: 'Help',
    write: 'Contact us',
    accessibility: 'Accessibility',
    terms: 'Terms of use',
    privacy: 'Privacy',
    legalNotice: 'Legal notice',
    reach: 'To reach the people who run this service:',
    or: 'or',
    helpPage: 'help page',
  },

  fields: {
    name: 'Name',
    nameHint: 'As you want applications to show it.',
    email: 'Email address',
    password: 'Password',
    newPasswordHint: (minimum) =>
      `At least ${minimum} characters. Several words in a row beat one complicated word.`,
    confirmPassword: 'Your current password',
    confirmPasswordHint: 'You signed in more than 15 minutes ago: confirm that it is you.',
  },

  signIn: {
    title: 'Sign in',
    action: 'Sign in',
    continueTo: 'to continue to',
    cancel: (application) => `Cancel and go back to ${application}`,
    noAccountYet: 'No account yet?',
    signUp: 'Create an account',
  },

  signUp: {
    title: 'Create an account',
    action: 'Create my account',
    continueTo: 'to continue to',
    alreadyAnAccount: 'Already have an account?',
    signIn: 'Sign in',
  },

  signOut: {
    title: 'Sign out?',
    text: 'Your session will end in this browser. Applications you opened with this account keep their own session: leave them separately.',
    action: 'Sign out',
    cancel: 'Keep my session',
    done: 'Your session has ended.',
    goOnTo: 'You will then go to',
    stranded: (incident) =>
      `The application that brought you here asks for a return address that it has not registered. You can sign out, but you will stay here. Incident code: ${incident}`,
    leaveTitle: 'Go on to an application?',
    leaveText:
      'Nobody is signed in in this browser. The link that you followed leads elsewhere: go on only if you recognise the address.',
    leaveTo: 'It leads to',
    leave: 'Continue',
    stay: 'Stay here',
  },

  consent: {
    title: (application) => `Share your information with ${application}?`,
    address: 'This application’s address',
    addressAdvice: 'Allow only if you recognise it.',
    unverifiedTag: 'not verified',
    unverified: 'The people who run this service have not verified this application.',
    about: 'What the application says about itself',
    homePage: 'Home page',
    privacyPolicy: 'Privacy policy',
    termsOfService: 'Terms of service',
    account: 'Account in use',
    switchAccount: 'Use another account',
    shared: 'What will be shared',
    openid: 'Identifier',
    openidFor: 'to recognise you',
    profile: 'Name, picture',
    email: 'Email address',
    emailVerified: 'verified',
    emailNotVerified: 'not verified yet',
    phone: 'Phone',
    noPhone: 'None on file: nothing will be shared until you add one.',
    details: 'Details',
    identifier: 'Your identifier',
    updatedAt: 'Profile changed on',
    next: (host) =>
      `You will then return to ${host}. You can withdraw your agreement from your account at any time.`,
    allow: 'Allow',
    deny: 'Refuse',
    accountChanged: 'The signed-in account changed in the meantime. Please check, then decide again.',
  },

  callback: {
    title: 'On the way back to the application',
    text: 'Your answer is being sent there. If nothing happens, press the button.',
    action: 'Continue',
  },

  home: {
    welcomeTitle: 'One door to all your applications',
    welcome: (service) =>
      `With ${service}, one account and one password let you in everywhere. Before each first visit you see exactly what will be shared, and you decide.`,
  },

  account,
  applications,
  device,
  diagnostics,
  integrate,
  mail,
  operations,
  protocol,

  problems: {
    title: 'There is one thing to put right',
    titleMany: (count) => `There are ${count} things to put right`,
    emailInvalid: 'Enter a complete email address, such as camille@example.org.',
    emailTaken: 'An account already exists with this address. Sign in, or choose another one.',
    nameRequired: 'Enter your name.',
    nameTooLong: (maximum) => `Choose a name of at most ${maximum} characters.`,
    passwordRequired: 'Enter your password.',
    passwordMissing: 'Confirm with your current password.',
    passwordWrong: 'This is not your current password.',
    newPassword: {
      tooShort: (minimum) => `Choose a password of at least ${minimum} characters.`,
      tooLong: (maximum) => `Choose a password of at most ${maximum} characters.`,
      common: 'Too easy to guess: this is one of the most common passwords. Choose another one.',
      personal:
        'Too easy to guess: it contains your name, your email address or the name of this service. Choose something else.',
      repeated: 'Too easy to guess: it repeats the same characters. Try several words in a row.',
      row: 'Too easy to guess: these characters follow each other on the keyboard, in the alphabet or in counting. Try several words in a row.',
      easy: 'Too easy to guess: a common word with a few digits is not enough. Add another word or two.',
    },
    wrongCredentials: 'Wrong email address or password.',
    formExpired: 'This form had expired. Check what it holds and send it again.',
  },

  failures: {
    incident: 'Incident code',
    incidentAdvice: 'Give this code when you ask for help: it lets us find out what happened.',
    home: 'Go to the home page',
    startAgain: 'Start again',
    unknownApplication: {
      title: 'We do not know this application',
      text: 'The link that brought you here comes from an application that is not registered with us, or no longer is. We cannot sign you in to it.',
      advice:
        'Go back to the application and try again. If it happens again, tell the people who run it and give them the code below.',
    },
    invalidCallback: {
      title: 'This sign-in request is not safe',
      text: 'The application wants us to send you back to an address that it has not declared. To protect you, we stop here.',
      advice:
        'Go back to the application by typing its address yourself. If it happens again, tell the people who run it and give them the code below.',
    },
    missingParameter: {
      title: 'This sign-in request is incomplete',
      text: 'The link that brought you here does not say which application you want to open, or where to send you afterwards.',
      advice:
        'Go back to the application and start from its sign-in button. If it happens again, tell the people who run it and give them the code below.',
    },
    applicationGone: {
      title: 'This application is no longer available',
      text: 'It was removed while you were answering. Nothing was shared with it.',
      advice: 'You can close this page.',
    },
    toApplication: (application) => `Go back to ${application}`,
    requestLapsed: {
      title: 'This sign-in request has expired',
      text: 'Too much time has passed since you left the application. Nothing was shared.',
      advice:
        'Go back to the application and start from its sign-in button: only the application can make this request again.',
    },
    requestExpired: {
      title: 'This sign-in request has expired',
      text: 'Too much time has passed since you left the application. Nothing was shared.',
      advice: 'Start again: nothing else is lost.',
    },
    otherBrowser: {
      title: 'This request comes from another browser',
      text: 'A sign-in ends in the browser where it began. This one was opened elsewhere, or your cookies were cleared in the meantime.',
      advice:
        'Go back to the application in this browser and start from its sign-in button. Cookies must be accepted there.',
    },
    formExpired: {
      title: 'This form has expired',
      text: 'We could not verify that it really came from you. Nothing was saved.',
      advice: 'Go back to the previous page, reload it and send the form again. Cookies must be accepted.',
    },
    badRequest: {
      title: 'We did not understand this request',
      text: 'What was sent to us is incomplete or malformed. Nothing was saved.',
      advice: 'Go back and try again.',
    },
    uploadTooLarge: {
      title: 'This file is too large',
      text: 'We take files of up to 2 MB. This one was not saved, and nothing has changed.',
      advice: 'Go back to the previous page and choose a smaller file.',
    },
    deadLink: {
      title: 'This link is no longer good',
      text: 'It was used already, it has expired, or a later change has taken its place.',
      advice: 'If you still need it, ask for a new mail.',
    },
    notFound: {
      title: 'There is no door here',
      text: 'No page exists at this address.',
      advice: 'Check the address, or start from the home page.',
    },
    rateLimited: (seconds) => ({
      title: 'One moment, please',
      text: 'We have received too many requests in a row from your network.',
      advice: `Wait ${duration(seconds)}, then reload this page.`,
    }),
    overloaded: (seconds) => ({
      title: 'There is a crowd at the door',
      text: 'Too many people are signing in at the same time. Your request was not processed.',
      advice: `Wait ${duration(seconds)}, then try again.`,
    }),
    unavailable: {
      title: 'The service is briefly unavailable',
      text: 'A part of our systems is not answering. Nothing is wrong with your account.',
      advice: 'Try again in a few minutes.',
    },
    serverError: {
      title: 'Something went wrong on our side',
      text: 'It is not your doing, and your request may not have gone through.',
      advice: 'Try again in a few minutes.',
    },
    httpsRequired: {
      title: 'This connection is not encrypted',
      text: 'This service accepts only addresses that begin with https://, so that nobody can read what you send to it.',
      advice: 'Replace http:// with https:// at the beginning of the address.',
    },
    invalidLogout: {
      title: 'This request to sign out is not safe',
      text: 'The application that brought you here asks for a sign-out that we cannot verify. Your session has not changed.',
      advice:
        'To sign out, open your account and choose “Sign out”. If this happens again, tell the people in charge of the application, with the code below.',
    },
    signUpClosed: {
      title: 'Sign-up is closed',
      text: 'This service does not accept new accounts at the moment.',
      advice:
        'If you already have an account, sign in. Otherwise, ask the people who run this service for one.',
    },
  },
};
