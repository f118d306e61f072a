/** The part of the library that the fake uses. The published types need 16 more packages. */
declare module "oidc-provider" {
  import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";

  export interface AdapterPayload {
    kind?: string;
    uid?: string;
    userCode?: string;
    grantId?: string;
    /** In seconds since 1970. */
    consumed?: number;
  }

  export type AdapterFactory = (model: string) => {
    upsert(id: string, payload: AdapterPayload, expiresIn?: number): Promise<void>;
    find(id: string): Promise<AdapterPayload | undefined>;
    findByUid(uid: string): Promise<AdapterPayload | undefined>;
    findByUserCode(userCode: string): Promise<AdapterPayload | undefined>;
    consume(id: string): Promise<void>;
    destroy(id: string): Promise<void>;
    revokeByGrantId(grantId: string): Promise<void>;
  };

  export interface Context {
    type: string;
    status: number;
    body?: unknown;
    query: Record<string, string | string[] | undefined>;
    /** Set for known paths. */
    oidc?: { route: string };
  }

  export interface GrantContext {
    oidc: {
      provider: Provider;
      account?: { accountId: string };
      client?: { clientId: string };
      requestParamScopes: Iterable<string>;
    };
  }

  export interface Grant {
    addOIDCScope(scope: string): void;
    save(): Promise<string>;
  }

  export interface ErrorOut {
    error: string;
    error_description?: string;
  }

  export type InteractionResults = ErrorOut | Record<"login" | "consent" | "select_account", object>;

  /** The settings of https://github.com/panva/node-oidc-provider/blob/main/docs/README.md. */
  export interface Configuration {
    [setting: string]: unknown;
    adapter: AdapterFactory;
    findAccount(context: unknown, subject: string): object | undefined;
    loadExistingGrant(context: GrantContext): Promise<Grant>;
    interactions: { policy: Prompts; url(context: unknown, interaction: { uid: string }): string };
    renderError(context: Context, error: ErrorOut): Promise<void>;
  }

  export class Provider {
    constructor(issuer: string, configuration: Configuration);
    Grant: new (of: {
      accountId?: string;
      clientId?: string;
    }) => Grant;
    use(middleware: (context: Context, next: () => Promise<void>) => Promise<void>): void;
    callback(): RequestListener;
    interactionDetails(
      request: IncomingMessage,
      response: ServerResponse,
    ): Promise<{ params: Record<string, unknown> }>;
    interactionResult(
      request: IncomingMessage,
      response: ServerResponse,
      result: InteractionResults,
    ): Promise<string>;
  }

  interface Prompts {
    add(prompt: object): void;
    remove(name: string): void;
  }

  export const errors: { SessionNotFound: new () => Error };
  export const interactionPolicy: {
    base(): Prompts;
    Prompt: new (settings: { name: string; requestable: boolean }) => object;
  };
}
