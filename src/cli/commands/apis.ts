// sesame apis …: names, options and defaults; what they do is in apis.ts and things.ts.
import type { Command } from 'commander';
import { addApiScope, createApi, listApis, removeApiScope, showApi, updateApi } from '../apis.ts';
import type { Runs } from '../run.ts';
import { deleteOf, endSecretOf, moderate, rotateSecretOf } from '../things.ts';
import { wholeNumber } from '../whole-number.ts';

export function addApis(program: Command, run: Runs): void {
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
    .action(run(rotateSecretOf('api')));
  apis
    .command('end-secret')
    .description('end a secret of an API at once; apis show tells the numbers')
    .argument('<api-id>')
    .argument('<number>', 'which one', wholeNumber)
    .action(run(endSecretOf('api')));
  apis
    .command('delete')
    .description('delete an API; no token counts for it any more')
    .argument('<api-id>')
    .action(run(deleteOf('api')));
  for (const [action, description] of [
    ['suspend', 'no token is given for an API any more, and none counts where it asks'],
    ['unsuspend', 'lift the suspension of an API'],
  ] as const)
    apis
      .command(action)
      .description(description)
      .argument('<api-id>')
      .option('--reason <words>', 'why, for the audit log')
      .action(run(moderate('api', action)));
}
