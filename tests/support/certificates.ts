import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

/** Files of an authority and of a certificate for `localhost` that it has signed. */
export interface Certificates {
  authority: string;
  certificate: string;
  key: string;
}

/** Makes them in a folder with the system's openssl. @param name of the files, and of the authority */
export function createCertificates(folder: string, name: string): Certificates {
  const file = (suffix: string) => join(folder, `${name}-${suffix}`);
  const openssl = (...args: string[]) => execFileSync("openssl", args, { stdio: "ignore" });
  const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  const [authority, authorityKey] = [file("ca.pem"), file("ca.key")];
  openssl(
    "req",
    "-x509",
    ...newKey,
    "-keyout",
    authorityKey,
    "-out",
    authority,
    "-days",
    "2",
    "-subj",
    `/CN=${name}`,
  );
  const [certificate, key, request, extensions] = [
    file("cert.pem"),
    file("cert.key"),
    file("csr"),
    file("ext"),
  ];
  openssl("req", ...newKey, "-keyout", key, "-out", request, "-subj", "/CN=localhost");
  writeFileSync(extensions, "subjectAltName=DNS:localhost");
  const signed = [
    "-CA",
    authority,
    "-CAkey",
    authorityKey,
    "-CAcreateserial",
    "-days",
    "2",
    "-extfile",
    extensions,
  ];
  openssl("x509", "-req", "-in", request, "-out", certificate, ...signed);
  return { authority, certificate, key };
}
