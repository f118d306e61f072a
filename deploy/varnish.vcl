# /etc/varnish/default.vcl: a cache between the proxy that does https and Front Row, see docs/operations.md.
vcl 4.1;

import directors;
import std;

probe readyz {
	.url = "/readyz";
	.interval = 500ms;
	.timeout = 1s;
	.window = 2;
	.threshold = 1;
	.initial = 1;
}

# More instances: a backend each, all on one PostgreSQL, and a line each in vcl_init.
backend front_row_1 {
	.host = "127.0.0.1";
	.port = "3000";
	.probe = readyz;
	.connect_timeout = 1s;
	# A sign-in waits for Google or GitHub.
	.first_byte_timeout = 30s;
}

sub vcl_init {
	new instances = directors.round_robin();
	instances.add_backend(front_row_1);
}

sub vcl_recv {
	set req.backend_hint = instances.backend();
	unset req.http.X-Encoding;

	# For the operator, not for visitors, in any spelling: /metrics, /readyz.
	if (req.url ~ "(?i)^[^?]*/(m|%6d)(e|%65)(t|%74)(r|%72)(i|%69)(c|%63)(s|%73)([?#]|$)"
		|| req.url ~ "(?i)^[^?]*/(r|%72)(e|%65)(a|%61)(d|%64)(y|%79)(z|%7a)([?#]|$)") {
		return (synth(404));
	}

	# The site has no cookies. Cookies of other sites on the same domain may be larger than it accepts.
	unset req.http.Cookie;

	# Private responses are neither cached nor served from the cache. Addresses with a code are OAuth callbacks.
	if ((req.method != "GET" && req.method != "HEAD") || req.http.Authorization
		|| req.url ~ "^/auth/v1/" || req.url ~ "[?&](code|error)=") {
		return (pass);
	}

	# Removes parameters of advertisements, and an empty query.
	if (req.url ~ "^[^?]*\?.*(utm_|fbclid|gclid|msclkid|igsh|mc_)") {
		set req.url = regsuball(req.url, "(?<=[?&])(utm_[a-z]+|fbclid|gclid|msclkid|igsh|mc_[a-z]+)=[^&]*&?", "");
	}
	set req.url = regsub(req.url, "[?&]+$", "");

	# Browsers list encodings in many ways. Three copies of a page are enough.
	if (req.http.Accept-Encoding ~ "\bbr\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))") {
		set req.http.X-Encoding = "br";
	} else if (req.http.Accept-Encoding ~ "\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))") {
		set req.http.X-Encoding = "gzip";
	} else {
		set req.http.X-Encoding = "identity";
	}

	# While no instance can answer, a copy may be older, up to stale-if-error.
	if (req.restarts == 0 && std.healthy(req.backend_hint)) {
		set req.grace = 0s;
	} else {
		set req.grace = 1d;
	}
	return (hash);
}

sub vcl_hash {
	hash_data(req.http.X-Encoding);
	# Without the client key the API answers 401.
	hash_data(req.http.apikey);
}

sub vcl_backend_fetch {
	if (bereq.http.X-Encoding) {
		set bereq.http.Accept-Encoding = bereq.http.X-Encoding;
		unset bereq.http.X-Encoding;
		# From memory: an instance that takes longer hangs.
		set bereq.first_byte_timeout = 2s;
	}
	# The site answers within ten seconds if it needs the database or draws a picture.
	if (bereq.url ~ "^/api/(reviews|reports|moderation)\b" || bereq.url ~ "^/api/shows/[^/]+/preview\.png") {
		set bereq.first_byte_timeout = 12s;
	}
}

sub vcl_backend_response {
	if (beresp.http.Cache-Control ~ "stale-if-error=\d") {
		set beresp.grace = std.duration(
			regsub(beresp.http.Cache-Control, "^.*stale-if-error=(\d+).*$", "\1s"), 10s);
	}
	# A failing or busy instance, or a client over its limits: keeps the copy. Without a copy, nobody else waits for this
	# response.
	if (!bereq.uncacheable && (beresp.status >= 500 || beresp.status == 429)) {
		if (bereq.is_bgfetch) {
			return (abandon);
		}
		set beresp.uncacheable = true;
		# Not cached: vcl_deliver looks for a copy again.
		set beresp.ttl = 0s;
		return (deliver);
	}
}

sub vcl_deliver {
	# stale-if-error: tries once more, with any copy.
	if (resp.status >= 500 && req.restarts == 0 && req.http.X-Encoding) {
		return (restart);
	}
	unset resp.http.X-Varnish;
	unset resp.http.Via;
}
