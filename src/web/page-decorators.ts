// Fastify decorators for pages: `reply.page`, `area.formPage` and `area.embeddedForm`.
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Config } from '../config.ts';
import type { Services } from '../http/services.ts';
import { type EmbeddedForm, type FormPage, registerEmbeddedForm, registerFormPage } from './form-page.ts';
import { type Page, sendPage } from './page.ts';

declare module 'fastify' {
  interface FastifyReply {
    page: (page: Page) => FastifyReply;
    /** The browser id that this response sets in a cookie. */
    browserId: string | undefined;
  }
  interface FastifyInstance {
    config: Config;
    /** Within `registerSignedInRoutes`, the form is bound to the session. Otherwise, it is bound to the browser. */
    formPage: <Subject, Fields extends object>(definition: FormPage<Subject, Fields>) => void;
    /** Registers a form without its own page. Must be called within `registerSignedInRoutes`. */
    embeddedForm: (definition: EmbeddedForm) => void;
  }
}

/** Must be called before any routes are registered. */
export function registerPageDecorators(app: FastifyInstance, services: Services): void {
  app.decorate('config', services.config);
  app.decorateReply('browserId', undefined);
  app.decorateReply('page', function (this: FastifyReply, page: Page) {
    return sendPage(this, page);
  });
  app.decorate('formPage', function (this: FastifyInstance, definition: FormPage<unknown, object>) {
    registerFormPage(this, services, definition);
  });
  app.decorate('embeddedForm', function (this: FastifyInstance, definition: EmbeddedForm) {
    registerEmbeddedForm(this, services, definition);
  });
}
