import { type ClientAuth, ClientSecretBasic, ClientSecretPost, None } from "openid-client";
import type { OutsideProviderSettings } from "../../domain/outside-settings.ts";

/**
 * How we say who we are at a provider. Where nobody has decided: in the header, as every provider must take it (RFC 6749,
 * section 2.3.1), unless this one says that it takes it in the body alone.
 */
export const clientAuthOf = ({
  clientSecret,
  clientAuth,
}: Pick<OutsideProviderSettings, "clientSecret" | "clientAuth">): ClientAuth => {
  if (clientSecret === null) return None();
  const [basic, post] = [ClientSecretBasic(clientSecret), ClientSecretPost(clientSecret)];
  return (provider, client, body, headers) => {
    const taken = provider.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
    const said =
      taken.includes("client_secret_post") && !taken.includes("client_secret_basic") ? post : basic;
    const send = clientAuth === null ? said : { basic, post }[clientAuth];
    send(provider, client, body, headers);
  };
};
