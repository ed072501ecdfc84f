// What an application's page shows for Spring, run as it is copied: a client by its application.yml, and an API.
import { afterAll, describe, test } from 'vitest';
import { useTestService } from '../support/service.ts';
import { expectApi } from './api-checks.ts';
import { type Folder, openFolder } from './copied.ts';
import { startCopied } from './copied-server.ts';
import { expectSignIn } from './sign-in-checks.ts';
import { buildJava, PATIENCE, springJars } from './toolchains.ts';

const jars = await springJars();

const service = useTestService();
const folders: Folder[] = [];
afterAll(() => Promise.all(folders.map((folder) => folder.remove())));

async function newFolder(): Promise<Folder> {
  const folder = await openFolder();
  folders.push(folder);
  return folder;
}

const java = (classPath: string, ...settings: string[]): [string, ...string[]] => [
  'java',
  // To start soon matters here, not to run fast.
  ...['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'],
  '-Dspring.main.lazy-initialization=true',
  '-cp',
  classPath,
  'com.example.Application',
  ...settings,
];

/** An application of one page, which shows who asks; everything of it that has to do with signing in is copied. */
const application = (parameter: string, shown: Record<string, string>) => `package com.example;
import java.util.Map;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

@SpringBootApplication
@RestController
public class Application {
  public static void main(String[] arguments) { SpringApplication.run(Application.class, arguments); }

  @GetMapping("/")
  Map<String, Object> home(@AuthenticationPrincipal ${parameter} who) {
    return Map.of(${Object.entries(shown)
      .map(([name, value]) => `"${name}", ${value}`)
      .join(', ')});
  }
}
`;

describe.skipIf(jars === undefined)('Spring', { timeout: PATIENCE }, () => {
  test('Spring Security signs a person in with state and nonce, and nobody else', async () => {
    await expectSignIn(service, {
      id: 'spring',
      standard: false,
      callback: '/login/oauth2/code/entree',
      login: '/oauth2/authorization/entree',
      home: '/',
      pkce: false, // Spring Security 6 uses it for public applications only
      start: async ([yaml = ''], origin, { clientSecret }) => {
        const folder = await newFolder();
        const claims = ['sub', 'name', 'email'].map((name) => [name, `who.getAttribute("${name}")`]);
        const user = 'org.springframework.security.oauth2.core.oidc.user.OidcUser';
        const main = await folder.put('Application.java', application(user, Object.fromEntries(claims)));
        await folder.put('application.yml', yaml);
        const classPath = await buildJava(jars ?? '', folder.path, [main]);
        return startCopied(java(classPath), origin, folder.path, { CLIENT_SECRET: clientSecret });
      },
    });
  });

  test('the API takes access tokens made for it, and nothing else (RFC 9068 §4)', async () => {
    await expectApi(service, {
      id: 'api-spring',
      start: async (code, origin) => {
        const folder = await newFolder();
        const claims = {
          sub: 'who.getSubject()',
          client_id: 'who.getClaim("client_id")',
          scopes: 'who.getClaimAsString("scope").split(" ")',
        };
        const files = [
          await folder.put(
            'Application.java',
            application('org.springframework.security.oauth2.jwt.Jwt', claims),
          ),
          await folder.put('ApiSecurity.java', `package com.example;\n${code}`),
        ];
        const classPath = await buildJava(jars ?? '', folder.path, files);
        const [, , port = ''] = origin.split(':');
        return startCopied(java(classPath, `--server.port=${port}`), origin, folder.path, {});
      },
    });
  });
});
