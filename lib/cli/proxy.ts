import { SetupError } from "../core/index.js";

/**
 * The proxy for an address, by the variables that curl and others read: `https_proxy` or `HTTPS_PROXY`, `http_proxy` (the upper-case form too, which curl
 * leaves out for the sake of CGI programs), `all_proxy`, and `no_proxy`: host names with their sub-domains, `host:port`, or `*`.
 */
export function proxyFor(env: Readonly<Record<string, string | undefined>>): (url: URL) => string | undefined {
  const read = (name: string) => env[name] || env[name.toUpperCase()] || "";
  const without = read("no_proxy")
    .split(/[\s,]+/)
    .filter(Boolean)
    .map((entry) => entry.toLowerCase());
  return (url) => {
    const host = url.hostname.replace(/^\[|\]$/g, "").toLowerCase();
    const port = url.port || (url.protocol === "https:" ? "443" : "80");
    const isLeftOut = without.some((entry) => {
      if (entry === "*") return true;
      const [, name = entry, only] = /^(.*?):(\d+)$/.exec(entry) ?? [];
      const bare = (/^\[.*\]$/.test(entry) ? entry.slice(1, -1) : name).replace(/^\*?\./, "");
      return (only === undefined || only === port) && (host === bare || host.endsWith(`.${bare}`));
    });
    if (isLeftOut) return undefined;
    const proxy = read(`${url.protocol.slice(0, -1)}_proxy`) || read("all_proxy");
    if (proxy === "") return undefined;
    const address = proxy.includes("://") ? proxy : `http://${proxy}`;
    if (!URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol))
      throw new SetupError(
        "proxy",
        "the proxy of the environment is not an http or https address",
        "http://host:port",
        `Mend ${url.protocol.slice(0, -1).toUpperCase()}_PROXY, or name ${host} in NO_PROXY`,
      );
    return address;
  };
}
