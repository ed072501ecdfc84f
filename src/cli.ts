// The operator's command line: migrations, accounts, applications, emergencies.
import { Command, InvalidArgumentError, Option } from 'commander';
import { listAgents, moderateAgent } from './cli/agents.ts';
import {
  addApiScope,
  createApi,
  endApiSecret,
  listApis,
  moderateApi,
  removeApi,
  removeApiScope,
  rotateApiSecret,
  showApi,
  updateApi,
} from './cli/apis.ts';
import {
  deleteApplication,
  endApplicationSecret,
  listApplications,
  moderateClient,
  rotateApplicationSecret,
} from './cli/apps.ts';
import { createApplication, showApplication, updateApplication } from './cli/apps-settings.ts';
import { listAudit } from './cli/audit.ts';
import { CommandFault, type Context, openContext } from './cli/context.ts';
import { listKeys, replaceKeys, rotateKeys } from './cli/keys.ts';
import { withSettings } from './cli/settings-options.ts';
import { revokeAll } from './cli/tokens.ts';
import {
  createUser,
  inviteUser,
  listAllUsers,
  moderateUser,
  resetSecondFactor,
  setPassword,
  showUser,
} from './cli/users.ts';
import { ConfigError, readConfig } from './config.ts';
import { LOCALES } from './i18n/index.ts';
import { LEAD } from './keys/rotation.ts';

const program = new Command('sesame')
  .description('Looks after a Sésame service. It uses the same settings as the service itself.')
  .option('--json', 'print the result as JSON');

/** Runs a command on the service's database and prints what it gives: a sentence for people, JSON on request. */
function run<Arguments extends unknown[]>(
  work: (context: Context, ...values: Arguments) => Promise<{ text: string; json: unknown }>,
) {
  return async (...values: [...Arguments, Command]) => {
    const command = values.pop() as Command;
    const context = await openContext(readConfig(process.env));
    try {
      const { text, json } = await work(context, ...(values as unknown as Arguments));
      const asJson = command.optsWithGlobals<{ json?: boolean }>().json;
      process.stdout.write(`${asJson ? JSON.stringify(json, null, 2) : text}\n`);
    } finally {
      await context.close();
    }
  };
}

const wholeNumber = (text: string): number => {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('Give a whole number.');
  return Number(text);
};

program
  .command('migrate')
  .description('bring the database up to date')
  .action(
    run(async ({ migrations }) => ({
      text: migrations.length === 0 ? 'The database is up to date.' : `Applied ${migrations.join(', ')}.`,
      json: { applied: migrations },
    })),
  );

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
  .description('give an account another password, made and printed once unless it comes by --password-stdin')
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
    'take the authenticator app and the recovery codes of an account away, for whoever has lost both, after SECOND_FACTOR_RESET_DELAY',
  )
  .argument('<email>')
  .option('--passkeys', 'take its passkeys away, too: whoever has one still needs no help')
  .option('--stop', 'stop what was asked for before, and leave everything as it is')
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

const apps = program.command('apps').description('client applications');
withSettings(
  apps
    .command('create')
    .description('register an application; its Client Secret is printed once')
    .requiredOption('--owner <email>', 'the account that it belongs to')
    .option('--public', 'a single-page or mobile application: no secret, PKCE required'),
).action(run(createApplication));
withSettings(
  apps
    .command('update')
    .description(
      'change settings of an application, all that are named or none; a list replaces the one before, an empty text empties it',
    )
    .argument('<client-id>'),
).action(run(updateApplication));
apps
  .command('show')
  .description('all settings of an application, and its live secrets by their numbers')
  .argument('<client-id>')
  .action(run(showApplication));
apps.command('list').description('list all applications').action(run(listApplications));
apps
  .command('rotate-secret')
  .description('give an application a new Client Secret, printed once')
  .argument('<client-id>')
  .option('--overlap <seconds>', 'how long the present one stays valid: 0 to 604800', wholeNumber, 0)
  .action(run(rotateApplicationSecret));
apps
  .command('end-secret')
  .description('end a Client Secret at once; apps show tells the numbers')
  .argument('<client-id>')
  .argument('<number>', 'which one', wholeNumber)
  .action(run(endApplicationSecret));
apps
  .command('delete')
  .description('delete an application; all that it was given dies at once')
  .argument('<client-id>')
  .action(run(deleteApplication));

for (const [action, description] of [
  ['suspend', 'nobody signs in to an application any more, and all it was given dies at once'],
  ['unsuspend', 'lift the suspension of an application'],
  ['verify', 'mark an application as verified: its consent page does not warn any more'],
  ['unverify', 'withdraw that mark'],
] as const)
  apps
    .command(action)
    .description(description)
    .argument('<client-id>')
    .option('--reason <words>', 'why, for the audit log')
    .action(run(moderateClient(action)));

const apis = program.command('apis').description('APIs that account holders own');
apis
  .command('create')
  .description('register an API; its scopes and a secret follow')
  .requiredOption('--owner <email>', 'the account that it belongs to')
  .requiredOption('--identifier <url>', 'the URL at which programs call it; it never changes')
  .requiredOption('--name <name>')
  .requiredOption('--words-fr <words>', 'what it is, in French')
  .requiredOption('--words-en <words>', 'what it is, in English')
  .option('--admits <who>', 'own, applications or agents', 'own')
  .option('--token-lifetime <seconds>', 'of access tokens for it, 60 to 86400', wholeNumber, 3600)
  .action(run(createApi));
apis
  .command('update')
  .description('change settings of an API')
  .argument('<api-id>')
  .option('--name <name>')
  .option('--words-fr <words>', 'what it is, in French')
  .option('--words-en <words>', 'what it is, in English')
  .option('--admits <who>', 'own, applications or agents')
  .option('--token-lifetime <seconds>', 'of access tokens for it, 60 to 86400', wholeNumber)
  .action(run(updateApi));
apis
  .command('show')
  .description('all settings of an API, its scopes, and its live secrets by their numbers')
  .argument('<api-id>')
  .action(run(showApi));
apis.command('list').description('list all APIs').action(run(listApis));
apis
  .command('add-scope')
  .description('give an API one more scope')
  .argument('<api-id>')
  .argument('<scope>')
  .requiredOption('--words-fr <words>', 'what it allows, in French')
  .requiredOption('--words-en <words>', 'what it allows, in English')
  .option('--sensitive', 'asked for apart, and every time')
  .option('--agents', 'agents may ask for it')
  .action(run(addApiScope));
apis
  .command('remove-scope')
  .description('take a scope of an API away; applications lose it at their next renewal')
  .argument('<api-id>')
  .argument('<scope>')
  .action(run(removeApiScope));
apis
  .command('rotate-secret')
  .description('give an API a new secret for introspection, printed once')
  .argument('<api-id>')
  .option('--overlap <seconds>', 'how long the present one stays valid: 0 to 604800', wholeNumber, 0)
  .action(run(rotateApiSecret));
apis
  .command('end-secret')
  .description('end a secret of an API at once; apis show tells the numbers')
  .argument('<api-id>')
  .argument('<number>', 'which one', wholeNumber)
  .action(run(endApiSecret));
apis
  .command('delete')
  .description('delete an API; no token counts for it any more')
  .argument('<api-id>')
  .action(run(removeApi));
for (const [action, description] of [
  ['suspend', 'no token is given for an API any more, and none counts where it asks'],
  ['unsuspend', 'lift the suspension of an API'],
] as const)
  apis
    .command(action)
    .description(description)
    .argument('<api-id>')
    .option('--reason <words>', 'why, for the audit log')
    .action(run(moderateApi(action)));

const agents = program.command('agents').description('agents: applications that nobody registered');
agents.command('list').description('list all agents that are known').action(run(listAgents));
for (const [action, description] of [
  ['block', 'nobody lets an agent in any more, and all it was given dies at once'],
  ['unblock', 'let an agent in again'],
] as const)
  agents
    .command(action)
    .description(description)
    .argument('<client-id>')
    .option('--reason <words>', 'why, for the audit log')
    .action(run(moderateAgent(action)));

program
  .command('audit')
  .description('the latest events of the audit log')
  .option('--kind <kind>', 'such as signed_in, sign_in_failed or account_suspended')
  .option('--user <email>', 'who did it or whom it was done to, by email or sub')
  .option('--app <client-id>', 'the application that it was done to')
  .option('--api <api-id>', 'the API that it was done to')
  .option('--address <ip>', 'the IP address that it came from')
  .option('--from <day>', 'not before this day or moment')
  .option('--until <day>', 'before this day or moment')
  .option('--limit <number>', 'how many at most', wholeNumber, 50)
  .action(run(listAudit));

const tokens = program.command('tokens').description('everything that was given out');
tokens
  .command('revoke-all')
  .description(
    'end every session, code and token at once: of every account, and of applications on their own account',
  )
  .option('--yes', 'yes, everybody has to sign in again')
  .action(run(revokeAll));

const keys = program.command('keys').description('signing keys');
keys.command('list').description('list the signing keys').action(run(listKeys));
keys
  .command('rotate')
  .description('publish the next signing keys now; those in use sign until then')
  .option('--in <seconds>', 'until the next keys sign', wholeNumber, LEAD)
  .action(run(rotateKeys));
keys
  .command('replace')
  .description('make new signing keys at once, also when the present ones do not open')
  .option('--yes', 'yes, nothing will verify what the present ones have signed')
  .action(run(replaceKeys));

const families = [users, apps, apis, agents, tokens, keys, program];
for (const command of families.flatMap(({ commands }) => commands))
  if (command.commands.length === 0) command.option('--json', 'print the result as JSON');

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof ConfigError)
    for (const fault of error.faults) process.stderr.write(`sesame: ${fault}\n`);
  else if (error instanceof CommandFault) process.stderr.write(`sesame: ${error.message}\n`);
  else process.stderr.write(`sesame: ${error instanceof Error ? error.message || String(error) : error}\n`);
  process.exitCode = error instanceof ConfigError ? 78 : 1;
}
