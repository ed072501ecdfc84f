// Add this to the build.gradle.kts of your app. The service must use https, because the library rejects http.
android {
    defaultConfig {
        manifestPlaceholders["appAuthRedirectScheme"] = '{{callbackScheme}}'
    }
}

dependencies {
    implementation("net.openid:appauth:0.11.1")
}
