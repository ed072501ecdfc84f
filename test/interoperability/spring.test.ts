// Runs the unchanged Spring snippets: a client's application.yml and an API.
import { afterAll, describe, test } from 'vitest';
import { useTestService } from '../support/service.ts';
import { checkApiSnippet } from './api-checks.ts';
import { checkSignInSnippet } from './sign-in-checks.ts';
import { startSnippetServer } from './snippet-server.ts';
import { createSnippetFolder, type SnippetFolder } from './snippets.ts';
import { compileJava, downloadSpringJars, TOOLCHAIN_TIMEOUT } from './toolchains.ts';

const jars = await downloadSpringJars();

const service = useTestService();
const folders: SnippetFolder[] = [];
afterAll(() => Promise.all(folders.map((folder) => folder.remove())));

async function createFolder(): Promise<SnippetFolder> {
  const folder = await createSnippetFolder();
  folders.push(folder);
  return folder;
}

const buildJavaCommand = (classPath: string, ...settings: string[]): [string, ...string[]] => [
  'java',
  // These JVM options reduce the startup time.
  ...['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'],
  '-Dspring.main.lazy-initialization=true',
  '-cp',
  classPath,
  'com.example.Application',
  ...settings,
];

/**
 * An application with one page that shows the signed-in user's claims. The snippet configures sign-in.
 */
const buildApplicationSource = (parameter: string, claims: Record<string, string>) => `package com.example;
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
    return Map.of(${Object.entries(claims)
      .map(([name, value]) => `"${name}", ${value}`)
      .join(', ')});
  }
}
`;

describe.skipIf(jars === undefined)('the Java snippet', { timeout: TOOLCHAIN_TIMEOUT }, () => {
  test('for Spring Security signs a user in and rejects invalid responses', async () => {
    await checkSignInSnippet(service, {
      id: 'spring',
      standard: false,
      callback: '/login/oauth2/code/entree',
      login: '/oauth2/authorization/entree',
      home: '/',
      // Spring Security 6 uses PKCE only for public clients.
      pkce: false,
      start: async ([yaml = ''], origin, { clientSecret }) => {
        const folder = await createFolder();
        const claims = ['sub', 'name', 'email'].map((name) => [name, `who.getAttribute("${name}")`]);
        const user = 'org.springframework.security.oauth2.core.oidc.user.OidcUser';
        const main = await folder.write(
          'Application.java',
          buildApplicationSource(user, Object.fromEntries(claims)),
        );
        await folder.write('application.yml', yaml);
        const classPath = await compileJava(jars ?? '', folder.path, [main]);
        return startSnippetServer(buildJavaCommand(classPath), origin, folder.path, {
          CLIENT_SECRET: clientSecret,
        });
      },
    });
  });

  test('for APIs accepts only access tokens for its audience (RFC 9068 §4)', async () => {
    await checkApiSnippet(service, {
      id: 'api-spring',
      start: async (code, origin) => {
        const folder = await createFolder();
        const claims = {
          sub: 'who.getSubject()',
          client_id: 'who.getClaim("client_id")',
          scopes: 'who.getClaimAsString("scope").split(" ")',
        };
        const files = [
          await folder.write(
            'Application.java',
            buildApplicationSource('org.springframework.security.oauth2.jwt.Jwt', claims),
          ),
          await folder.write('ApiSecurity.java', `package com.example;\n${code}`),
        ];
        const classPath = await compileJava(jars ?? '', folder.path, files);
        const [, , port = ''] = origin.split(':');
        return startSnippetServer(
          buildJavaCommand(classPath, `--server.port=${port}`),
          origin,
          folder.path,
          {},
        );
      },
    });
  });
});
