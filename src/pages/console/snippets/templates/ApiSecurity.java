// spring-boot-starter-web and spring-boot-starter-oauth2-resource-server, with Spring Security 6.5 or later;
// server.port={{apiPort}} in application.properties.
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.http.SessionCreationPolicy;
import org.springframework.security.oauth2.jose.jws.SignatureAlgorithm;
import org.springframework.security.oauth2.jwt.JwtClaimValidator;
import org.springframework.security.oauth2.jwt.JwtDecoder;
import org.springframework.security.oauth2.jwt.JwtValidators;
import org.springframework.security.oauth2.jwt.NimbusJwtDecoder;
import org.springframework.security.web.SecurityFilterChain;

@Configuration
class ApiSecurity {
    /** Takes access tokens for this API, which Spring by itself does not: they are at+jwt, signed with ES256. */
    @Bean
    JwtDecoder jwtDecoder() {
        NimbusJwtDecoder decoder = NimbusJwtDecoder.withJwkSetUri("{{issuer}}/.well-known/jwks.json")
            .jwsAlgorithm(SignatureAlgorithm.ES256)
            .validateType(false) // the validator below does
            .build();
        decoder.setJwtValidator(JwtValidators.createAtJwtValidator()
            .issuer('{{issuer}}')
            .audience('{{audience}}')
            // Whichever application it was given to: Spring wants to be told so.
            .validators(all -> all.put("client_id", new JwtClaimValidator<String>("client_id", id -> id != null)))
            .build());
        return decoder;
    }

    @Bean
    SecurityFilterChain api(HttpSecurity http) throws Exception {
        return http
            .authorizeHttpRequests(requests -> requests.anyRequest().authenticated())
            .sessionManagement(sessions -> sessions.sessionCreationPolicy(SessionCreationPolicy.STATELESS))
            .oauth2ResourceServer(server -> server.jwt(Customizer.withDefaults()))
            .build();
    }
}
