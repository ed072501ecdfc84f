// Requires spring-boot-starter-web and spring-boot-starter-oauth2-resource-server, with Spring Security 6.5 or later.
// Set server.port={{apiPort}} in application.properties.
import java.util.List;
import java.util.Map;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.ResponseEntity;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.http.SessionCreationPolicy;
import org.springframework.security.oauth2.jose.jws.SignatureAlgorithm;
import org.springframework.security.oauth2.jwt.JwtClaimValidator;
import org.springframework.security.oauth2.jwt.JwtDecoder;
import org.springframework.security.oauth2.jwt.JwtValidators;
import org.springframework.security.oauth2.jwt.NimbusJwtDecoder;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

@Configuration
class ApiSecurity {
    static final String ISSUER = '{{issuer}}';
    static final String API = '{{audience}}';
    static final String CHALLENGE = '{{challenge}}';

    /** Accepts only access tokens for this API: of type at+jwt, signed with ES256. Spring accepts others by default. */
    @Bean
    JwtDecoder jwtDecoder() {
        NimbusJwtDecoder decoder = NimbusJwtDecoder.withJwkSetUri(ISSUER + "/.well-known/jwks.json")
            .jwsAlgorithm(SignatureAlgorithm.ES256)
            // The validator below checks the type.
            .validateType(false)
            .build();
        decoder.setJwtValidator(JwtValidators.createAtJwtValidator()
            .issuer(ISSUER)
            .audience(API)
            // Accepts tokens from any client. Spring requires this validator to be set.
            .validators(all -> all.put("client_id", new JwtClaimValidator<String>("client_id", id -> id != null)))
            .build());
        return decoder;
    }

    @Bean
    SecurityFilterChain api(HttpSecurity http) throws Exception {
        return http
            .authorizeHttpRequests(requests -> requests
                .requestMatchers('{{metadataPath}}').permitAll()
                .anyRequest().hasAuthority("SCOPE_" + '{{scope}}'))
            .sessionManagement(sessions -> sessions.sessionCreationPolicy(SessionCreationPolicy.STATELESS))
            .oauth2ResourceServer(server -> server
                .jwt(jwt -> {})
                .authenticationEntryPoint((request, response, failure) -> {
                    boolean sent = request.getHeader("Authorization") != null;
                    response.setHeader("WWW-Authenticate", "Bearer " + (sent ? "error=\"invalid_token\", " : "") + CHALLENGE);
                    response.setStatus(401);
                })
                .accessDeniedHandler((request, response, failure) -> {
                    response.setHeader("WWW-Authenticate", "Bearer error=\"insufficient_scope\", " + CHALLENGE);
                    response.setStatus(403);
                }))
            .build();
    }
}

/** Protected resource metadata, which names the issuer of tokens for this API (RFC 9728). */
@RestController
class ApiMetadata {
    @GetMapping('{{metadataPath}}')
    ResponseEntity<Map<String, Object>> metadata() {
        return ResponseEntity.ok().header("Access-Control-Allow-Origin", "*").body(Map.of(
            "resource", ApiSecurity.API,
            "authorization_servers", List.of(ApiSecurity.ISSUER),
            "scopes_supported", List.of('{{scopes}}'.split(" "))));
    }
}
