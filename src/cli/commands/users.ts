// sesame users …: names, options and defaults; what they do is in users.ts.
import { type Command, Option } from 'commander';
import { LOCALES } from '../../i18n/index.ts';
import type { Runs } from '../run.ts';
import {
  createUser,
  inviteUser,
  listAllUsers,
  moderateUser,
  resetSecondFactor,
  setPassword,
  showUser,
} from '../users.ts';

export function addUsers(program: Command, run: Runs): void {
  const users = program.command('users').description('accounts');
  users
    .command('create')
    .description('create an account; without --password-stdin a password is made and printed once')
    .requiredOption('--email <address>')
    .requiredOption('--name <name>')
    .option('--phone <number>', 'international format, with a leading +')
    .option('--verified', 'the email is known to be theirs')
    .option('--operator', 'may administer this service')
    .option('--password-stdin', 'read the password from standard input')
    .action(run(createUser));
  users
    .command('invite')
    .description('create an account and mail its owner a link to choose a password')
    .requiredOption('--email <address>')
    .requiredOption('--name <name>')
    .addOption(new Option('--language <tag>', 'language of the mail').choices(LOCALES).default('fr'))
    .action(run(inviteUser));
  users
    .command('set-password')
    .description(
      'give an account another password, made and printed once unless it comes by --password-stdin',
    )
    .argument('<email>')
    .option('--password-stdin', 'read the password from standard input')
    .action(run(setPassword));
  users
    .command('show')
    .description('one account: what it is, what opens it, its last sign-ins')
    .argument('<email>')
    .action(run(showUser));
  users.command('list').description('list all accounts').action(run(listAllUsers));
  users
    .command('reset-second-factor')
    .description(
      'take the authenticator app and the recovery codes of an account away, for whoever has lost both, after a day',
    )
    .argument('<email>')
    .option('--passkeys', 'take its passkeys away, too: whoever has one still needs no help')
    .option('--now', 'without that delay')
    .option('--stop', 'stop what was asked for before, and leave everything as it is')
    .option('--reason <words>', 'why, for the audit log')
    .action(run(resetSecondFactor));
  for (const [name, action, description] of [
    ['suspend', 'suspend', 'nobody signs in to an account any more, and all it gave out dies at once'],
    ['unsuspend', 'unsuspend', 'lift the suspension of an account'],
    ['end-sessions', 'end', 'end every session and token of an account at once'],
    ['grant-operator', 'grant', 'let an account administer this service'],
    ['revoke-operator', 'revoke', 'take that away again; never from the last operator'],
    ['delete', 'delete', 'delete an account and all that hangs on it'],
  ] as const)
    users
      .command(name)
      .description(description)
      .argument('<email>')
      .option('--reason <words>', 'why, for the audit log')
      .action(run(moderateUser(action)));
}
